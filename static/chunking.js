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

  // Pointing at a chunk, or coming to its name by keyboard, shows where it begins and ends; its lines follow on choice.
  const point = (key, number) => {
    table.querySelectorAll(".near").forEach((one) => one.classList.remove("near"));
    if (key === null) return;
    table.querySelectorAll(`.in-${key} [data-first]`).forEach((run) => {
      const inside = Number(run.dataset.first) <= number && number <= Number(run.dataset.last);
      if (inside) [run, run.closest("tr").firstElementChild].forEach((one) => one.classList.add("near"));
    });
  };
  const pointed = (event) => {
    const tag = event.target.closest(".tag");
    const run = event.target.closest("[data-first]");
    const cell = event.target.closest("td");
    if (!cell || !(tag || run)) return point(null);
    point(/in-([a-d])/.exec(cell.className)[1], Number(tag ? tag.dataset.chunk : run.dataset.last));
  };
  table.addEventListener("mouseover", pointed);
  table.addEventListener("focusin", pointed);
  table.addEventListener("mouseleave", () => point(null));

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
