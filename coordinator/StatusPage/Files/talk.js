// What the page tells its user: short messages, questions, and what only a screen reader says.
import { button, h, icon } from "./dom.js";
import { printable } from "./text.js";

/** Tells a screen reader something. */
export const announce = (text) => {
  document.getElementById("announcer").textContent = printable(text);
};

/** Shows a short message for a while. A problem stays until it is closed. */
export const say = (text, { isProblem = false, action } = {}) => {
  const close = button(icon("close"), () => toast.remove(), { class: "quiet square", "aria-label": "Close" });
  const toast = h(
    "div",
    { class: isProblem ? "toast problem" : "toast" },
    icon(isProblem ? "warning" : "completed"),
    h("span", { dir: "auto" }, text),
    action,
    close,
  );
  const toasts = document.getElementById("toasts");
  toasts.append(toast);
  while (toasts.children.length > 4) toasts.firstChild.remove();
  announce(text);
  if (!isProblem) setTimeout(() => toast.remove(), 6000);
};

/** Asks a question, and returns whether the answer is yes; with a `field`, the element's value. */
export const ask = (title, text, yes, { field, no = "Keep" } = {}) =>
  new Promise((resolve) => {
    let answer = false;
    const dialog = h(
      "dialog",
      { "aria-labelledby": "ask-title" },
      h(
        "form",
        {
          method: "dialog",
          onsubmit: () => {
            answer = field ? field.value : true;
          },
        },
        h("h2", { id: "ask-title", dir: "auto" }, title),
        text && h("p", { class: "muted" }, text),
        field,
        h(
          "div",
          { class: "actions" },
          button(no, () => dialog.close()),
          h("button", { class: "primary", type: "submit" }, yes),
        ),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
    field?.querySelector?.("input")?.focus();
  });

/** Does something that may fail, and shows the problem if it does. Returns whether it was done. */
export const attempt = async (what, work) => {
  try {
    await work();
    return true;
  } catch (problem) {
    say(`${what}: ${problem.detail ?? problem.message}`, { isProblem: true });
    return false;
  }
};
