// The right end of the page's head: whether the page is live, and the user's menu.
import { button, fill, h, icon } from "./dom.js";
import { colorsChanged } from "./colors.js";
import { canNotify, notifiesAll, setNotifiesAll } from "./notify.js";
import { store } from "./store.js";

const themes = { auto: "Same as system", light: "Light", dark: "Dark" };
const stored = () => {
  try {
    return localStorage.getItem("theme") ?? "auto";
  } catch {
    return "auto";
  }
};

const useTheme = (theme) => {
  try {
    localStorage.setItem("theme", theme);
  } catch { /* Private windows may refuse. */ }
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  colorsChanged();
};
if (stored() !== "auto") useTheme(stored());

export const accountMenu = (node, signOut) => {
  const { name, role, needsToken } = store.session;
  const live = h(
    "span",
    { class: "live", "aria-hidden": needsToken !== false },
    h("i", { class: "dot" }),
    h("span", { class: "live-word on" }, "live"),
    h("span", { class: "live-word off" }, "reconnecting"),
  );
  const notify = canNotify() && needsToken === false &&
    h(
      "label",
      { class: "check" },
      h("input", {
        type: "checkbox",
        checked: notifiesAll(),
        onchange: async (event) => {
          event.target.checked = await setNotifiesAll(event.target.checked);
        },
      }),
      "Notify me when any job ends",
    );
  const menu = h(
    "div",
    { class: "menu", id: "menu", popover: "auto" },
    needsToken === false &&
      h(
        "p",
        { class: "muted", dir: "auto" },
        name ? `Signed in as ${name} (${role})` : "No token is needed on this host",
      ),
    h(
      "fieldset",
      {},
      h("legend", {}, "Appearance"),
      Object.entries(themes).map(([theme, word]) =>
        h(
          "label",
          { class: "check" },
          h("input", {
            type: "radio",
            name: "theme",
            checked: stored() === theme,
            onchange: () => useTheme(theme),
          }),
          word,
        )
      ),
    ),
    notify,
    name && needsToken === false && button("Sign out", signOut, { id: "sign-out" }),
  );
  fill(
    node,
    needsToken === false && live,
    h(
      "button",
      {
        type: "button",
        class: "quiet account-button",
        popovertarget: "menu",
        "aria-label": name ? `Menu for ${name}` : "Menu",
      },
      icon("user"),
      h("span", { class: "account-name", dir: "auto" }, name ?? (needsToken === false ? role : "menu")),
    ),
    menu,
  );
};
