import { printable } from "./text.js";

const svgSpace = "http://www.w3.org/2000/svg";

/**
 * Makes an element. Text, and the values of attributes, are made printable. `on…` properties are listeners; `false`,
 * `null` and `undefined` properties and children are left out.
 */
export const h = (tag, properties = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2).toLowerCase(), value);
    else if (name === "class") made.className = value;
    else if (["value", "checked", "disabled", "hidden", "selected", "indeterminate", "files"].includes(name)) {
      made[name] = value;
    } else made.setAttribute(name, value === true ? "" : printable(value));
  }
  put(made, children);
  return made;
};

const put = (parent, children) => {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(printable(child)));
  }
};

/** Replaces the children of an element. */
export const fill = (parent, ...children) => {
  parent.replaceChildren();
  put(parent, children);
  return parent;
};

/** Sets the text of an element if it has changed. */
export const setText = (node, text) => {
  const shown = printable(text ?? "");
  if (node.textContent !== shown) node.textContent = shown;
};

/** Sets or removes an attribute if it has changed. */
export const setAttribute = (node, name, value) => {
  if (value === undefined || value === null || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
  } else {
    const shown = value === true ? "" : printable(value);
    if (node.getAttribute(name) !== shown) node.setAttribute(name, shown);
  }
};

/**
 * Makes the children of an element those of a list, in its order, and keeps those that stay. `make` returns an object
 * with a `node` and an `update`.
 */
export const keyed = (make, identify = (item) => item.id) => {
  let made = new Map();
  return {
    show(parent, items) {
      const next = new Map();
      // An element that moves loses the focus.
      const focused = parent.contains(document.activeElement) ? document.activeElement : undefined;
      let place = parent.firstChild;
      for (const item of items) {
        const key = identify(item);
        const part = made.get(key) ?? make(item);
        made.delete(key);
        next.set(key, part);
        part.update(item);
        if (part.node === place) place = place.nextSibling;
        else parent.insertBefore(part.node, place);
      }
      for (const part of made.values()) {
        part.node.remove();
        part.leave?.();
      }
      made = next;
      if (focused?.isConnected && document.activeElement !== focused) focused.focus({ preventScroll: true });
    },
    get: (key) => made.get(key),
  };
};

const paths = {
  queued: "M8 3.5v5l3 1.5M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13",
  planning: "M2.5 4.5h11M2.5 8h7M2.5 11.5h4",
  rendering: "M5 3l8 5-8 5z",
  assembling: "M2.5 5.5 8 2.5l5.5 3L8 8.5zM2.5 8.5 8 11.5l5.5-3M2.5 11 8 14l5.5-3",
  completed: "M3 8.5l3.5 3.5L13 4.5",
  failed: "M4 4l8 8M12 4l-8 8",
  cancelled: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M3.5 3.5l9 9",
  warning: "M8 2 15 14H1zM8 6.5V10M8 12v.1",
  more: "M3.5 8h.1M8 8h.1M12.5 8h.1",
  up: "M8 13V3M4 7l4-4 4 4",
  down: "M8 3v10M4 9l4 4 4-4",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  link: "M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5 7.5 13A3 3 0 0 1 3 8.5L4.5 7",
  bell: "M3 12h10l-1.5-2V7a3.5 3.5 0 0 0-7 0v3zM6.5 14h3",
  farm: "M2 13V6l3-3 3 3v7M8 8h6v5M1 13.5h14",
  jobs: "M2 4h12M2 8h12M2 12h8",
  recording: "M8 4.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13",
  workers: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.1M5 11h.1",
  submit: "M8 10.5V2.5M4.5 6 8 2.5 11.5 6M2.5 10.5v3h11v-3",
  tokens: "M9.5 6.5a3.5 3.5 0 1 0-3 3.45L7.5 9h1.5V7.5h1zM5.5 6h.1M9.5 6.5l4.5 4.5v3h-3l-2-2",
  user: "M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6M2.5 14c.5-3 2.5-4.5 5.5-4.5s5 1.5 5.5 4.5",
  grip: "M6 3.5h.1M10 3.5h.1M6 8h.1M10 8h.1M6 12.5h.1M10 12.5h.1",
};

/** An icon, which says nothing to a screen reader: words beside it do. */
export const icon = (name) => {
  const svg = document.createElementNS(svgSpace, "svg"), path = document.createElementNS(svgSpace, "path");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", paths[name] ?? "");
  svg.append(path);
  return svg;
};

/** A button. */
export const button = (label, onclick, properties = {}) =>
  h("button", { type: "button", onclick, ...properties }, label);
