// The question box for pages of other sites: one script tag, a button in the corner, a dialog over the page. It lives
// in a shadow tree, so that neither side's styles touch the other; it keeps nothing in the browser, no cookie either.
(() => {
  "use strict";
  const WORDS = __WORDS__;
  const STYLE = `
    :host { all: initial; --accent: var(--evidencedesk-accent, #0b6157); --on-accent: var(--evidencedesk-on-accent, #fff);
      --paper: var(--evidencedesk-paper, #fff); --ink: var(--evidencedesk-ink, #1c1f23);
      --quiet: var(--evidencedesk-quiet, #575d66); --rule: var(--evidencedesk-rule, #dfdcd3);
      --bad: var(--evidencedesk-bad, #a12622); --round: var(--evidencedesk-round, 0.5rem);
      font: 1rem/1.6 var(--evidencedesk-font, system-ui, "Noto Sans", "Noto Sans Bengali", sans-serif); color: var(--ink); }
    @media (prefers-color-scheme: dark) { :host {
      --accent: var(--evidencedesk-accent-dark, #7fd1c2); --on-accent: var(--evidencedesk-on-accent-dark, #10201d);
      --paper: var(--evidencedesk-paper-dark, #1e2125); --ink: var(--evidencedesk-ink-dark, #e9e7e2);
      --quiet: var(--evidencedesk-quiet-dark, #a6abb4); --rule: var(--evidencedesk-rule-dark, #41464d);
      --bad: var(--evidencedesk-bad-dark, #ff9c92); } }
    *, ::before, ::after { box-sizing: border-box; }
    [hidden] { display: none !important; }
    :lang(bn) { line-height: 1.75; }
    button, input { font: inherit; color: inherit; min-height: 2.75rem; border-radius: var(--round); }
    button { padding: 0.3rem 1.1rem; border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent);
      font-weight: 600; cursor: pointer; }
    button.plain { background: none; color: var(--accent); border-color: var(--rule); font-weight: 400; }
    button[aria-disabled] { opacity: 0.6; }
    button[aria-pressed="true"] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    .open { position: fixed; inset-block-end: 1rem; inset-inline-end: 1rem; z-index: 2147483000;
      box-shadow: 0 2px 10px rgb(0 0 0 / 0.25); border-color: var(--on-accent); }
    dialog { position: fixed; inset: auto 1rem 1rem auto; margin: 0; padding: 1rem; width: min(26rem, calc(100vw - 2rem));
      max-height: min(40rem, calc(100dvh - 2rem)); overflow: auto; overflow-wrap: anywhere; color: var(--ink);
      background: var(--paper); border: 1px solid var(--rule); border-radius: var(--round);
      box-shadow: 0 6px 30px rgb(0 0 0 / 0.3); }
    dialog::backdrop { background: rgb(0 0 0 / 0.25); }
    header { display: flex; align-items: start; justify-content: space-between; gap: 1rem; }
    h2 { font-size: 1.15rem; line-height: 1.35; margin: 0.4rem 0 0.75rem; }
    h3 { font-size: 1rem; margin: 1rem 0 0.25rem; }
    h3:focus { outline: none; }
    header button { white-space: nowrap; }
    p, ol, form { margin: 0 0 0.75rem; }
    ol { padding-inline-start: 0; list-style: none; }
    label { display: block; font-weight: 600; }
    .row { display: flex; gap: 0.5rem; }
    input { flex: 1; min-width: 0; padding: 0.3rem 0.7rem; background: var(--paper); border: 1px solid var(--quiet); }
    a { color: var(--accent); text-underline-offset: 0.2em; }
    .status { min-height: 1.6em; color: var(--quiet); }
    .status.wrong { color: var(--bad); }
    .votes { display: flex; flex-wrap: wrap; gap: 0.5rem; }
    .where { color: var(--quiet); }
    @media (max-width: 30rem) { dialog { inset: auto 0 0 0; width: 100vw; max-width: 100vw; border-radius: var(--round) var(--round) 0 0; } }
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
  const link = (address, attributes, ...inside) =>
    make("a", { href: new URL(address, home), target: "_blank", rel: "noopener", ...attributes }, ...inside);

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
    form,
    status,
    reply,
  );

  const say = (text, wrong = false) => {
    if (status.textContent !== text) status.textContent = text;
    status.classList.toggle("wrong", wrong);
  };

  const post = (path, body) =>
    fetch(home + path, {
      method: "POST",
      credentials: "omit",
      headers: { "Content-Type": "application/json", "Accept-Language": lang, ...(key && { Authorization: `Bearer ${key}` }) },
      body: JSON.stringify(body),
    });

  const refused = { 401: words.refused, 403: words.refused, 404: words.refused, 429: words.busy };

  const stages = async (question, heard) => {
    const answer = await post("/api/v1/ask/stages", { question, ...(collection && { collection }) });
    if (!answer.ok) return heard("refused", refused[answer.status] || words.failed);
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
      make("span", { class: "where" }, " · ", make("span", { lang: one.lang }, one.heading), place(one)),
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
      const sent = await post(`/api/v1/answers/${answer.id}/feedback`, { vote: name, reader: voter }).catch(() => ({}));
      if (!sent.ok) return say(refused[sent.status] || words.failed, true);
      button.parentElement.querySelectorAll("button").forEach((one) => one.setAttribute("aria-pressed", one === button));
      say(words.thanks);
    });
    return button;
  };

  const show = (url, answer) => {
    const heading = make("h3", { tabindex: "-1", lang: answer.lang }, answer.question);
    const text = answer.abstained ? [make("p", { lang: answer.lang }, answer.answer)] : answer.statements.map((one) => statement(one, answer));
    const sources = answer.citations.length ? [make("h3", {}, words.sources), make("ol", {}, ...answer.citations.map(source))] : [];
    const votes = make("div", { class: "votes" }, vote(answer, "up", words.up), vote(answer, "down", words.down));
    reply.replaceChildren(heading, ...text, ...sources, make("p", {}, link(url, {}, answer.abstained ? words.why : words.whole)), votes);
    reply.hidden = false;
    heading.focus();
    say(answer.abstained ? words.none : words.ready);
  };

  const ask = async (question) => {
    let ended = false;
    const heard = (stage, data) => {
      if (stage === "retrieving") return;
      if (stage === "checking") return say(words.checking);
      ended = true;
      if (stage === "done") show(data.url, data.answer);
      else say(stage === "refused" ? data : words.failed, true);
    };
    await stages(question, heard).catch(() => {});
    if (!ended) say(words.failed, true);
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (send.hasAttribute("aria-disabled")) return;
    const wrong = input.value.trim() ? (/[\p{L}\p{N}]/u.test(input.value) ? "" : words.nowords) : words.empty;
    input.toggleAttribute("aria-invalid", Boolean(wrong));
    if (wrong) {
      say(wrong, true);
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
