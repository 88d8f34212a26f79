// Copying a citation: into the clipboard where that is possible, else it is selected for the reader to copy.
(() => {
  "use strict";
  const announcer = document.getElementById("announce");
  document.querySelectorAll("[data-copy-text]").forEach((button) => (button.hidden = false));
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy-text]");
    if (!button) return;
    const field = document.getElementById(button.dataset.copyText);
    const tell = (words) => {
      button.querySelector("span").textContent = words;
      if (announcer) announcer.textContent = words;
    };
    const select = () => {
      field.focus();
      field.select();
      tell(button.dataset.select);
    };
    if (!navigator.clipboard) return select();
    navigator.clipboard.writeText(field.value).then(() => tell(button.dataset.copied), select);
  });
})();
