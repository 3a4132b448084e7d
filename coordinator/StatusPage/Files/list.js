// A list of rows of one height that has elements only for the rows in view, so that thousands stay fast.
import { h } from "./dom.js";

/**
 * Makes the list. `make(item)` returns `{node, update(item), leave?()}`; `identify` gives an item's key. The row's
 * height is the value of `--row` in the style sheet, in `rem`.
 */
export const virtualList = (make, identify = (item) => item.id) => {
  const node = h("div", { class: "rows", role: "rowgroup" });
  let items = [], made = new Map(), isActive = true, isScheduled = false;

  const rowHeight = () =>
    parseFloat(getComputedStyle(node).getPropertyValue("--row") || "3.5") *
    parseFloat(getComputedStyle(document.documentElement).fontSize);

  const show = () => {
    isScheduled = false;
    if (!isActive || !node.isConnected) return;
    const height = rowHeight(), top = node.getBoundingClientRect().top, overscan = 6;
    const first = Math.max(0, Math.floor(-top / height) - overscan);
    const end = Math.min(items.length, Math.ceil((innerHeight - top) / height) + overscan);
    const total = `${items.length * height}px`;
    if (node.style.height !== total) node.style.height = total;
    const next = new Map();
    // The row that has the focus stays, so that the focus is not lost by scrolling.
    const active = node.contains(document.activeElement) ? document.activeElement : undefined;
    const focused = active?.closest("[data-key]")?.dataset.key;
    let place = node.firstChild;
    const put = (index) => {
      const item = items[index], key = String(identify(item));
      if (next.has(key)) return;
      const row = made.get(key) ?? make(item);
      made.delete(key);
      row.node.dataset.key = key;
      next.set(key, row);
      row.update(item);
      const offset = `translateY(${index * height}px)`;
      if (row.node.style.transform !== offset) row.node.style.transform = offset;
      row.node.setAttribute("aria-rowindex", index + 2);
      if (row.node === place) place = place.nextSibling;
      else node.insertBefore(row.node, place);
    };
    const focusedIndex = focused === undefined ? -1 : items.findIndex((item) => String(identify(item)) === focused);
    if (focusedIndex >= 0 && focusedIndex < first) put(focusedIndex);
    for (let index = first; index < end; index++) put(index);
    if (focusedIndex >= end) put(focusedIndex);
    for (const row of made.values()) {
      row.node.remove();
      row.leave?.();
    }
    made = next;
    if (active?.isConnected && document.activeElement !== active) active.focus({ preventScroll: true });
  };
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(show);
  };
  addEventListener("scroll", schedule, { passive: true });
  addEventListener("resize", schedule);
  return {
    node,
    update(next) {
      items = next;
      show();
    },
    leave() {
      isActive = false;
      removeEventListener("scroll", schedule);
      removeEventListener("resize", schedule);
      for (const row of made.values()) row.leave?.();
    },
  };
};
