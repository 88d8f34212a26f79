// What a page must hold for everyone, beside what axe looks at: returns what is wrong, in words.
(() => {
  const named = (one) => `${one.tagName.toLowerCase()} ${one.outerHTML.replace(/\s+/g, " ").slice(0, 120)}`;
  const all = (selector) => [...document.querySelectorAll(selector)];
  const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length > 0;
  const wanted = 'a[href], button, input:not([type="hidden"]), select, textarea, summary, [tabindex="0"]';

  const scrolls = (one) => {
    for (let part = one; part && part !== document.body; part = part.parentElement)
      if (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(part).overflowX)) return true;
    return false;
  };

  // Nothing runs over the page's edge, and no words are cut off by their box.
  const over = () => {
    const wide = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= wide) return [];
    const out = all("main *, header *, footer *").filter((one) => one.getBoundingClientRect().right > wide + 1 && !scrolls(one));
    return [`wider than ${wide}: ${document.documentElement.scrollWidth}`, ...out.slice(-2).map(named)];
  };
  const cut = () =>
    all("main *, header *, footer *")
      .filter((one) => seen(one) && !one.closest(".unseen, svg") && !["INPUT", "SELECT", "TEXTAREA"].includes(one.tagName))
      .filter((one) => ["hidden", "clip"].includes(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight + 2)
      .map((one) => `cut off: ${named(one)}`);

  // Whatever can be used shows that it has the focus, and nothing lies over it then.
  const unfocused = () => {
    const wrong = [];
    for (const one of all(wanted).filter(seen)) {
      if (one.disabled || one.closest(".unseen")) continue;
      one.focus();
      if (document.activeElement !== one) continue;
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      if (!one.matches(":focus-visible") || outlineStyle === "none" || !(parseFloat(outlineWidth) >= 2)) wrong.push(`no ring: ${named(one)}`);
      const box = [...one.getClientRects()].find((part) => part.width > 0 && part.height > 0);
      if (box.height > window.innerHeight) continue; // some of it is always seen
      const [x, y] = [box.left + Math.min(box.width / 2, 12), box.top + Math.min(box.height / 2, 12)];
      const top = document.elementFromPoint(x, y);
      if (!top || !(one.contains(top) || top.contains(one) || [...(one.labels || [])].some((label) => label.contains(top))))
        wrong.push(`hidden while focused: ${named(one)} under ${top ? named(top) : "nothing: it is off the window"}`);
    }
    document.activeElement.blur();
    window.scrollTo(0, 0);
    return wrong;
  };

  // Words in another language than the page's say so.
  const unsaid = () => {
    const wrong = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const part = node.parentElement;
      if (part.closest("script, code, pre, textarea, option, svg") || !seen(part)) continue;
      const lang = part.closest("[lang]").lang;
      if (/[\u0985-\u09b9]/.test(node.data) && lang !== "bn") wrong.push(`Bangla in ${lang}: ${node.data.trim().slice(0, 60)}`);
      if (/(?:[A-Za-z]{2,}[ ,]+){4}/.test(node.data) && lang === "bn") wrong.push(`English in bn: ${node.data.trim().slice(0, 60)}`);
    }
    return wrong;
  };

  // What a chart shows stands in a table too.
  const untabled = () =>
    all('svg[role="img"]:not(.icon)')
      .filter((one) => !one.closest("table") && !one.closest("section, main").querySelector("table"))
      .map((one) => `no table: ${named(one)}`);

  // WCAG 1.4.11, which axe leaves out: what a chart draws stands out from its ground, in forced colours too.
  const light = (colour) => {
    const [red, green, blue] = colour.match(/[\d.]+/g).map((one) => (one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (one) => {
    for (let part = one; part; part = part.parentElement) {
      const colour = getComputedStyle(part).backgroundColor;
      if (!/, 0\)$/.test(colour)) return light(colour);
    }
    return light(getComputedStyle(document.body).backgroundColor);
  };
  const stands = (colour, under) => colour.startsWith("rgb") && (Math.max(light(colour), under) + 0.05) / (Math.min(light(colour), under) + 0.05) >= 3;
  const faint = () =>
    all("svg :is(rect, circle, line, polyline, path, text)")
      .filter((one) => one.closest("svg").checkVisibility())
      .filter((one) => !(one.tagName === "line" ? ["stroke"] : ["fill", "stroke"]).some((kind) => stands(getComputedStyle(one)[kind], ground(one.closest("svg")))))
      .map((one) => `faint: ${named(one)} in ${named(one.closest("svg")).slice(0, 60)}`);

  // What is drawn to be looked at has a name; what has none is there for the eye alone and stands beside its words.
  const unnamed = () =>
    all("svg:not([aria-hidden=true], [role=img])")
      .filter((one) => !one.closest("[aria-hidden=true]"))
      .map((one) => `neither named nor hidden: ${named(one)}`);

  // After a part of the page was drawn anew, the reader is where they were, and hears of it once.
  const lost = () => {
    if (!window.stayed) return [];
    const one = document.activeElement;
    if (one === document.body) return ["the focus jumped to the top"];
    return one.closest("[aria-live], [role=status], [role=alert]") ? [`focused, and read aloud by itself: ${named(one)}`] : [];
  };

  const moving = () =>
    all("*")
      .filter((one) => ["transitionDuration", "animationDuration"].some((name) => parseFloat(getComputedStyle(one)[name]) > 0 && getComputedStyle(one)[name.replace("Duration", name[0] === "t" ? "Property" : "Name")] !== "none"))
      .map((one) => `moves: ${named(one)}`)
      .concat(getComputedStyle(document.documentElement).scrollBehavior === "smooth" ? ["moves: the page, when it scrolls"] : []);

  // WCAG 1.4.12: the spacing that some readers need.
  const spaced = () => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }");
    document.adoptedStyleSheets = [sheet];
    const wrong = [...over(), ...cut()].map((words) => `spaced out, ${words}`);
    document.adoptedStyleSheets = [];
    return wrong;
  };

  window.everyone = { over, cut, unfocused, unsaid, untabled, unnamed, lost, faint, moving, spaced };
})();
