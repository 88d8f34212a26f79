// What a script adds to pages that work without it: one submission a press, words while waiting, focus and
// announcements after a swap, copied links, ranges of lines. No inline handlers, no eval.
(() => {
  "use strict";
  const announcer = document.getElementById("announce");
  const siteName = document.title.split(" · ").pop();

  const say = (words) => {
    if (announcer && announcer.textContent !== words) announcer.textContent = words;
  };

  // Asking: the first press counts, others are dropped until the answer is there.
  const tell = (form, words, failed = false) => {
    const line = form.querySelector(".progress") || document.querySelector(".ask .progress");
    if (!line) return;
    line.textContent = words;
    line.classList.toggle("failed", failed);
  };

  const begin = (form) => {
    form.dataset.busy = "true";
    form.querySelectorAll("button").forEach((button) => button.setAttribute("aria-disabled", "true"));
    tell(form, form.dataset.looking);
    say(form.dataset.looking);
  };

  const end = (form) => {
    delete form.dataset.busy;
    form.querySelectorAll("button").forEach((button) => button.removeAttribute("aria-disabled"));
    tell(form, "");
  };

  // What was typed stays where it is, the reason stands beside it.
  const fail = (form, words) => {
    end(form);
    tell(form, words, true);
    say(words);
  };

  // The server tells how far it is while it answers. Whatever goes wrong on the way, the form is sent as it would be
  // without this: its token makes sure that nothing is answered twice.
  const asked = (form, button) => {
    const body = { filters: {} };
    for (const [name, value] of new FormData(form, button)) {
      if (name.startsWith("filter-") && value) body.filters[name.slice(7)] = value;
      else if (name === "only_lang") body.lang = value;
      else if (["question", "collection", "once", "follows"].includes(name)) body[name] = value;
    }
    return body;
  };

  const stages = async (form, button, heard) => {
    const options = { method: "POST", headers: { "Content-Type": "application/json" } };
    const reply = await fetch(form.dataset.stages, { ...options, body: JSON.stringify(asked(form, button)) });
    if (!reply.ok || !reply.body) throw new Error("not told");
    let text = "";
    for (const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const blocks = text.split("\n\n");
      text = blocks.pop();
      for (const block of blocks) heard(/^event: (.*)/.exec(block)[1], JSON.parse(/^data: (.*)/m.exec(block)[1]));
    }
  };

  const follow = async (form, button) => {
    let url = "";
    try {
      await stages(form, button, (stage, data) => {
        if (stage === "checking") tell(form, form.dataset.checking);
        if (stage === "done") url = data.url;
      });
    } catch {
      url = "";
    }
    if (!form.isConnected || !form.dataset.busy) return;
    if (url) {
      await htmx.ajax("GET", url, { target: "#main", swap: "innerHTML show:window:top" });
      if (form.isConnected) end(form);
    } else {
      form.dataset.plain = "true";
      form.requestSubmit(button);
      delete form.dataset.plain;
    }
  };

  document.addEventListener(
    "submit",
    (event) => {
      const form = event.target;
      if (!form.dataset.looking || form.dataset.plain) return;
      const again = form.dataset.busy;
      if (!again) begin(form);
      if (!again && !(form.dataset.stages && window.htmx && window.TextDecoderStream)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (!again) follow(form, event.submitter);
    },
    true,
  );

  // Leaving by Back keeps the page as it was: make its forms ready again.
  window.addEventListener("pageshow", () => document.querySelectorAll("form[data-busy]").forEach(end));

  let within = false; // the focus is in the part that is about to be drawn anew

  document.addEventListener("htmx:beforeSwap", (event) => {
    within = event.detail.target.contains(document.activeElement);
    const form = event.detail.requestConfig.elt; // the event itself goes to the target, the page's main part
    const { status, responseText } = event.detail.xhr;
    if (!form.dataset.looking || status < 400 || status === 422) return;
    event.detail.shouldSwap = false;
    const page = new DOMParser().parseFromString(responseText, "text/html");
    const words = [...page.querySelectorAll("h1, h1 + p")].map((part) => part.textContent.trim());
    fail(form, words.join(": ") || form.dataset.failed);
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const form = event.target;
    if (form.dataset && form.dataset.busy && event.detail.successful) end(form);
  });
  document.addEventListener("htmx:sendError", (event) => {
    if (event.target.dataset.looking) fail(event.target, event.target.dataset.failed);
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    const main = document.getElementById("main");
    if (event.detail.target !== main) {
      const part = event.detail.elt; // a part of the page may have something to say; it takes no focus, but keeps it
      if (part.dataset && part.dataset.announce) say(part.dataset.announce);
      if (within && document.activeElement === document.body) {
        part.tabIndex = -1;
        part.focus({ preventScroll: true });
      }
      within = false;
      return;
    }
    const heading = main.querySelector("h1");
    const place = main.querySelector("[aria-invalid], [autofocus]"); // what is wrong, or what came of it
    if (heading) document.title = `${heading.textContent} · ${siteName}`;
    (place || heading || main).focus();
    const article = main.querySelector("[data-announce]");
    say(article ? article.dataset.announce : "");
    prepare(main);
  });

  // Work that goes on elsewhere draws itself anew again and again: each of its states is said once.
  const said = new Map();
  document.addEventListener("htmx:load", (event) => {
    const { id, dataset } = event.target;
    if (!event.target.matches(".job") || said.get(id) === dataset.announce) return;
    said.set(id, dataset.announce);
    say(dataset.announce);
  });

  // Copying the answer's link.
  const prepare = (root) => root.querySelectorAll("[data-copy]").forEach((button) => (button.hidden = false));
  prepare(document);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    navigator.clipboard.writeText(new URL(button.dataset.copy, location.href).href).then(() => {
      button.querySelector("span").textContent = button.dataset.copied;
      say(button.dataset.copied);
    });
  });

  // Quotes shown over the text go away with Escape.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") document.body.classList.add("tips-closed");
  });
  ["pointerover", "focusin"].forEach((kind) =>
    document.addEventListener(kind, (event) => {
      if (event.target.closest(".marker")) document.body.classList.remove("tips-closed");
    }),
  );

  // #L11-L12 picks a range; Shift and a line number makes one.
  const pick = () => {
    document.querySelectorAll(".line.picked").forEach((line) => line.classList.remove("picked"));
    const range = /^#L(\d+)-L?(\d+)$/.exec(location.hash);
    if (!range) return;
    const [first, last] = [Number(range[1]), Number(range[2])].sort((a, b) => a - b);
    const lines = [...document.querySelectorAll(".line")].slice(Math.max(first - 1, 0), last);
    lines.forEach((line) => line.classList.add("picked"));
    if (lines.length) lines[0].scrollIntoView();
  };
  window.addEventListener("hashchange", pick);
  pick();
  document.addEventListener("click", (event) => {
    const number = event.target.closest(".line > a");
    const from = /^#L(\d+)/.exec(location.hash);
    if (!number || !from || !event.shiftKey) return;
    event.preventDefault();
    location.hash = `L${from[1]}-${number.parentElement.id}`;
  });
})();
