// A slider beside the number of the limit: both say the same, and letting go of it shows what the limit costs.
(() => {
  "use strict";
  let held = false;
  const equip = () => {
    const field = document.getElementById("limit-field");
    if (!field || document.getElementById("limit-slider")) return;
    const slider = Object.assign(document.createElement("input"), { type: "range", id: "limit-slider", min: 0, max: 1, step: 0.01, value: field.value });
    slider.setAttribute("aria-label", field.labels[0].textContent);
    slider.addEventListener("input", () => (field.value = slider.value));
    field.addEventListener("input", () => (slider.value = field.value));
    slider.addEventListener("change", () => field.form.requestSubmit());
    field.after(slider);
    if (held) slider.focus();
  };
  document.addEventListener("htmx:beforeSwap", () => (held = document.activeElement?.id === "limit-slider"));
  document.addEventListener("htmx:afterSwap", equip);
  equip();
})();
