// Choosing lines with the pointer: the first press on a number is the first line, the next one the last. The form's
// two fields hold the choice, with or without a script.
(() => {
  "use strict";
  const lines = document.querySelector(".choosing");
  const [first, last] = ["first", "last"].map((name) => document.querySelector(`.choose-lines [name="${name}"]`));
  if (!lines || !first) return;
  let open = false; // a first line is chosen, and the last one is still to come

  const mark = () => {
    const from = Number(first.value);
    const to = Number(last.value || first.value);
    lines.querySelectorAll(".line").forEach((line) => {
      const number = Number(line.querySelector("a").dataset.line);
      line.classList.toggle("cited", from > 0 && from <= number && number <= to);
    });
  };

  lines.addEventListener("click", (event) => {
    const link = event.target.closest("[data-line]");
    if (!link) return;
    event.preventDefault();
    const number = Number(link.dataset.line);
    const extends_ = (open || event.shiftKey) && Number(first.value) <= number;
    if (!extends_) first.value = number;
    last.value = number;
    open = !extends_;
    mark();
    document.getElementById("announce").textContent = `${first.labels[0].textContent} ${first.value}, ${last.labels[0].textContent} ${last.value}`;
  });
  [first, last].forEach((field) => field.addEventListener("input", mark));
})();
