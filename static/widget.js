// The question box for pages of other sites: one script tag, a button in the corner, a dialog over the page. It lives
// in a shadow tree, so that neither side's styles touch the other; it keeps nothing in the browser, no cookie either.
(() => {
  "use strict";
  const WORDS = __WORDS__;
  const STYLE = `
    :host { all: initial; color-scheme: light dark; --accent: var(--evidencedesk-accent, #0b6157);
      --on-accent: var(--evidencedesk-on-accent, #fff); --paper: var(--evidencedesk-paper, #fff);
      --ink: var(--evidencedesk-ink, #1c1f23); --quiet: var(--evidencedesk-quiet, #575d66);
      --rule: var(--evidencedesk-rule, #dfdcd3); --tint: var(--evidencedesk-tint, #f5f3ee);
      --bad: var(--evidencedesk-bad, #a12622); --round: var(--evidencedesk-round, 0.5rem);
      font: 1rem/1.6 var(--evidencedesk-font, system-ui, "Noto Sans", "Noto Sans Bengali", sans-serif); color: var(--ink); }
    @media (prefers-color-scheme: dark) { :host {
      --accent: var(--evidencedesk-accent-dark, #7fd1c2); --on-accent: var(--evidencedesk-on-accent-dark, #10201d);
      --paper: var(--evidencedesk-paper-dark, #1e2125); --ink: var(--evidencedesk-ink-dark, #e9e7e2);
      --quiet: var(--evidencedesk-quiet-dark, #a6abb4); --rule: var(--evidencedesk-rule-dark, #41464d);
      --tint: var(--evidencedesk-tint-dark, #292d32); --bad: var(--evidencedesk-bad-dark, #ff9c92); } }
    *, ::before, ::after { box-sizing: border-box; }
    [hidden] { display: none !important; }
    :host(:lang(bn)), :lang(bn) { line-height: 1.75; }
    button, input { font: inherit; color: inherit; min-height: 2.75rem; border-radius: var(--round); }
    button { padding: 0.3rem 1.1rem; border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent);
      font-weight: 600; cursor: pointer; }
    button.plain { background: none; color: var(--accent); border-color: var(--rule); font-weight: 400; }
    button[aria-disabled] { opacity: 0.6; cursor: progress; }
    button[aria-pressed="true"] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); font-weight: 600; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    .open { position: fixed; inset-block-end: 1rem; inset-inline-end: 1rem; z-index: 2147483000; padding-inline: 1.4rem;
      border-radius: max(var(--round), 1.5rem); box-shadow: 0 2px 10px rgb(0 0 0 / 0.25); }
    dialog { position: fixed; inset: auto 1rem 1rem auto; margin: 0; padding: 0; width: min(27rem, calc(100vw - 2rem));
      max-height: min(42rem, calc(100dvh - 2rem)); overflow: auto; overflow-wrap: anywhere; color: var(--ink);
      background: var(--paper); border: 1px solid var(--rule); border-radius: calc(var(--round) * 1.5);
      box-shadow: 0 12px 40px rgb(0 0 0 / 0.28); scroll-padding-block-start: 5rem; }
    dialog::backdrop { background: rgb(0 0 0 / 0.3); }
    header { position: sticky; inset-block-start: 0; display: flex; align-items: center; justify-content: space-between;
      gap: 1rem; padding: 0.6rem 0.75rem 0.6rem 1.25rem; background: var(--paper); border-block-end: 1px solid var(--rule); }
    header button { white-space: nowrap; border-color: transparent; }
    .body { padding: 1rem 1.25rem 1.25rem; }
    h2 { font-size: 1.1rem; line-height: 1.35; margin: 0; }
    h3 { font-size: 0.95rem; line-height: 1.4; margin: 1.1rem 0 0.35rem; }
    h3.asked { font-size: 1.1rem; margin-block-start: 0.25rem; }
    h3:focus { outline: none; }
    p, ol, ul, form { margin: 0 0 0.75rem; }
    ol { padding: 0; list-style: none; }
    ol li { padding: 0.5rem 0.75rem; border-inline-start: 3px solid var(--accent); background: var(--tint); }
    ol li + li { margin-block-start: 0.4rem; }
    ul { padding-inline-start: 1.2rem; }
    label { display: block; font-weight: 600; margin-block-end: 0.35rem; }
    .row { display: flex; gap: 0.5rem; }
    input { flex: 1; min-width: 0; padding: 0.3rem 0.7rem; background: var(--paper); border: 1px solid var(--quiet); }
    input[aria-invalid] { border-color: var(--bad); }
    a { color: var(--accent); text-underline-offset: 0.2em; }
    .status { min-height: 1.6em; color: var(--quiet); }
    .status.wrong { color: var(--bad); }
    .status.known { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    .caution, .why { padding: 0.5rem 0.75rem; background: var(--tint); border-radius: var(--round); }
    .votes { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-block: 1rem 0.75rem; }
    .where { display: block; color: var(--quiet); font-size: 0.92em; }
    @media (max-width: 30rem) { dialog { inset: auto 0 0 0; width: 100vw; max-width: 100vw; max-height: 92dvh;
      border-width: 1px 0 0; border-radius: calc(var(--round) * 1.5) calc(var(--round) * 1.5) 0 0; } }
    @media (forced-colors: active) { button { border-color: ButtonText; } ol li { border-color: CanvasText; } }
  `;

  const tag = document.currentScript;
  const home = new URL(tag.src).origin;
  const { key, collection } = tag.dataset;
  const wanted = [tag.dataset.lang, document.documentElement.lang, ...navigator.languages];
  const lang = wanted.map((one) => (one || "").split("-")[0].toLowerCase()).find((one) => WORDS[one]) || Object.keys(WORDS)[0];
  const words = WORDS[lang];
  const digits = (value) => Number(value).toLocaleString(lang, { useGrouping: false });
  const voter = crypto.getRandomValues(new Uint32Array(4)).join("-"); // as long as this page is open

  const make = (name, attributes = {}, ...inside) => {
    const element = document.createElement(name);
    for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
    element.append(...inside);
    return element;
  };
  // Our own pages open in the language of the box.
  const inLanguage = (url) => {
    if (url.origin === home) url.searchParams.set("lang", lang);
    return url;
  };
  const link = (address, attributes, ...inside) =>
    make("a", { href: inLanguage(new URL(address, home)), target: "_blank", rel: "noopener", ...attributes }, ...inside);

  const open = make("button", { type: "button", class: "open", "aria-haspopup": "dialog" }, words.open);
  const close = make("button", { type: "button", class: "plain" }, words.close);
  const input = make("input", { id: "question", type: "text", autocomplete: "off", enterkeyhint: "go", maxlength: "2000" });
  const send = make("button", { type: "submit" }, words.ask);
  const form = make("form", { novalidate: "" }, make("label", { for: "question" }, words.label), make("div", { class: "row" }, input, send));
  const status = make("p", { class: "status", role: "status" });
  const reply = make("div", { hidden: "" });
  const dialog = make(
    "dialog",
    { "aria-labelledby": "title" },
    make("header", {}, make("h2", { id: "title" }, words.title), close),
    make("div", { class: "body" }, form, status, reply),
  );

  // Once each: what is there to be read already (`known`) is said to screen readers alone.
  const say = (text, kind = "") => {
    if (status.textContent !== text) status.textContent = text;
    status.className = `status ${kind}`;
  };
  const fail = (text) => say(text, "wrong");

  const post = (path, body) =>
    fetch(home + path, {
      method: "POST",
      credentials: "omit",
      headers: { "Content-Type": "application/json", "Accept-Language": lang, ...(key && { Authorization: `Bearer ${key}` }) },
      body: JSON.stringify(body),
    });

  const PATIENCE = 120; // seconds: who has to wait longer need not wait here
  const refusal = ({ status: code, headers }) => {
    if (code === 429) return Number(headers.get("Retry-After")) > PATIENCE ? words.spent : words.busy;
    return [401, 403, 404].includes(code) ? words.refused : words.failed;
  };

  const stages = async (question, heard) => {
    const answer = await post("/api/v1/ask/stages", { question, ...(collection && { collection }) });
    if (!answer.ok) return heard("refused", refusal(answer));
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const blocks = text.split("\n\n");
      text = blocks.pop();
      for (const block of blocks) heard(/^event: (.*)/.exec(block)[1], JSON.parse(/^data: (.*)/m.exec(block)[1]));
    }
  };

  const place = (one) => {
    const lines = one.first_line === one.last_line ? words.line : words.lines;
    const where = lines.replace("{first}", digits(one.first_line)).replace("{last}", digits(one.last_line));
    return one.first_line ? `, ${where}` : "";
  };

  const source = (one) =>
    make(
      "li",
      {},
      `[${digits(one.marker)}] `,
      link(one.url, { lang: one.lang }, one.title),
      make("span", { class: "where" }, make("span", { lang: one.lang }, one.heading), place(one)),
    );

  const statement = (one, answer) => {
    const urls = new Map(answer.citations.map((citation) => [citation.marker, citation.url]));
    const marks = one.markers.map((marker) =>
      link(urls.get(marker), { "aria-label": `${words.source} ${digits(marker)}` }, `[${digits(marker)}]`));
    return make("p", {}, make("span", { lang: answer.lang }, one.text), ...marks.flatMap((mark) => [" ", mark]));
  };

  const vote = (answer, name, text) => {
    const button = make("button", { type: "button", class: "plain", "aria-pressed": "false" }, text);
    button.addEventListener("click", async () => {
      const sent = await post(`/api/v1/answers/${answer.id}/feedback`, { vote: name, reader: voter }).catch(() => null);
      if (!sent?.ok) return fail(sent ? refusal(sent) : words.failed);
      button.parentElement.querySelectorAll("button").forEach((one) => one.setAttribute("aria-pressed", one === button));
      say(words.thanks);
    });
    return button;
  };

  // Addresses and mail addresses in what the collection says of itself become links; all else stays text.
  const linked = (text) =>
    text.split(/(https?:\/\/[^\s<>]*[^\s<>.,;:!?)]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)/).map((part, at) =>
      at % 2 ? link(part.includes("://") ? part : `mailto:${part}`, {}, part) : part);

  const page = (near, answer) =>
    make("li", {}, link(`/c/${encodeURIComponent(answer.collection)}/sources/${encodeURI(near.document_id)}`, {}, near.title));

  const given = (answer, caution) => [
    ...(caution ? [make("p", { class: "caution" }, caution)] : []),
    ...answer.statements.map((one) => statement(one, answer)),
    make("h3", {}, words.sources),
    make("ol", {}, ...answer.citations.map(source)),
  ];

  const withheld = (answer, { why, fallback, contact }) => [
    ...(fallback.text && !answer.leans ? [make("p", { lang: fallback.lang }, fallback.text)] : []),
    make("p", { class: "why" }, words.because.replace("{reason}", () => why)),
    ...(answer.nearest.length ? [make("h3", {}, words.nearest), make("ul", {}, ...answer.nearest.map((one) => page(one, answer)))] : []),
    ...(contact.text ? [make("h3", {}, words.person), make("p", { lang: contact.lang }, ...linked(contact.text))] : []),
  ];

  const show = ({ url, answer, ...said }) => {
    const heading = make("h3", { class: "asked", tabindex: "-1", lang: answer.lang }, answer.question);
    const votes = make("div", { class: "votes" }, vote(answer, "up", words.up), vote(answer, "down", words.down));
    const more = make("p", {}, link(url, {}, answer.abstained ? words.why : words.whole));
    reply.replaceChildren(heading, ...(answer.abstained ? withheld(answer, said) : given(answer, said.caution)), votes, more);
    reply.hidden = false;
    heading.focus();
    say(answer.abstained ? words.none.replace("{reason}", () => said.why) : words.ready, "known");
  };

  const ask = async (question) => {
    let ended = false;
    const heard = (stage, data) => {
      if (stage === "retrieving") return;
      if (stage === "checking") return say(words.checking);
      ended = true;
      if (stage === "done") show(data);
      else fail(stage === "refused" ? data : words.failed);
    };
    await stages(question, heard).catch(() => {});
    if (!ended) fail(words.failed);
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (send.hasAttribute("aria-disabled")) return;
    const wrong = input.value.trim() ? (/[\p{L}\p{N}]/u.test(input.value) ? "" : words.nowords) : words.empty;
    input.toggleAttribute("aria-invalid", Boolean(wrong));
    if (wrong) {
      fail(wrong);
      return input.focus();
    }
    send.setAttribute("aria-disabled", "true");
    reply.hidden = true;
    say(words.looking);
    await ask(input.value);
    send.removeAttribute("aria-disabled");
  });

  open.addEventListener("click", () => {
    dialog.showModal(); // the page behind is out of reach, Escape closes, the button has the focus again afterwards
    input.focus();
  });
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "Tab") return; // round and round: the browser's own bars would be next
    const stops = [...dialog.querySelectorAll("button, input, a")].filter((one) => one.checkVisibility());
    const at = stops.indexOf(root.activeElement);
    const next = event.shiftKey ? (at > 0 ? at : stops.length) - 1 : (at + 1) % stops.length;
    if (at >= 0 && Math.abs(next - at) === 1) return;
    if (at < 0 && root.activeElement && !event.shiftKey) return; // from the answer's heading on to its links
    event.preventDefault();
    stops[next].focus();
  });

  const host = make("evidence-desk", { lang });
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  root.append(open, dialog);
  document.body.append(host);
})();
