// Choosing a chunk shows it whole, and its lines in every column. Without a script its first line is shown.
(() => {
  "use strict";
  const table = document.querySelector(".cut-table");
  const announcer = document.getElementById("announce");
  if (!table) return;

  const clear = () => table.querySelectorAll(".chosen").forEach((one) => one.classList.remove("chosen"));

  const choose = () => {
    clear();
    const named = /^#([a-d])-c(\d+)$/.exec(location.hash);
    const tag = named && document.getElementById(location.hash.slice(1));
    if (!tag) return;
    const number = Number(named[2]);
    table.querySelectorAll(`.in-${named[1]} [data-first]`).forEach((run) => {
      if (Number(run.dataset.first) > number || number > Number(run.dataset.last)) return;
      run.classList.add("chosen");
      run.closest("tr").classList.add("chosen");
    });
    show(named[1]);
    announcer.textContent = tag.title;
  };

  // On a narrow page one setting is shown at a time: the one that the chunk belongs to.
  const show = (key) => {
    const radio = document.querySelector(`.one-at-a-time [value="${key}"]`);
    if (radio) radio.checked = true;
  };

  window.addEventListener("hashchange", choose);
  table.addEventListener("click", (event) => {
    const run = event.target.closest("[data-first]");
    if (!run || String(window.getSelection())) return;
    const key = /in-([a-d])/.exec(run.closest("td").className)[1];
    history.replaceState(null, "", `#${key}-c${run.dataset.last}`);
    choose();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !table.querySelector(".chosen")) return;
    history.replaceState(null, "", location.pathname + location.search);
    clear();
  });
  choose();
})();
