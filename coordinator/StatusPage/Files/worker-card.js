// A worker: what it renders, in each of its slots.
import { drain, resume } from "./actions.js";
import { button, fill, h, setAttribute, setText } from "./dom.js";
import { workerState } from "./state.js";
import { may } from "./store.js";
import { address } from "./router.js";
import { bytes, count, fps, percent, plural } from "./text.js";
import { ago } from "./time.js";

const mostSlots = 24;

/** Seconds since a worker was last heard of. */
const silence = (worker) => worker.secondsSinceSeen + (Date.now() - worker.heardAt) / 1000;

/** What a worker renders: "Harvest 12, 14 · Trailer 9". */
const doing = (worker) => {
  if (worker.reason) return worker.reason;
  if (worker.state === "lost") return `Last seen ${ago(silence(worker))}. Check the host and its log.`;
  const jobs = new Map();
  for (const { job, jobName, segment } of worker.rendering ?? []) {
    jobs.set(job, { name: jobName, segments: [...jobs.get(job)?.segments ?? [], segment] });
  }
  const parts = [...jobs.values()].map(({ name, segments }) =>
    `${name} ${segments.slice(0, 4).join(", ")}${segments.length > 4 ? "…" : ""}`
  );
  if (parts.length > 0) return parts.join(" · ");
  return worker.leases > 0 ? plural(worker.leases, "segment") : "idle";
};

/** The memory that a worker uses, of what it has: "24 of 64 GiB". */
const memoryOf = ({ memory, memoryInUse }) => {
  if (!(memoryInUse > 0)) return memory && bytes(memory);
  if (!memory) return bytes(memoryInUse);
  const [used, unit] = bytes(memoryInUse).split("\u00a0"), all = bytes(memory);
  return all.endsWith(unit) ? `${used} of ${all}` : `${used}\u00a0${unit} of ${all}`;
};

/** The card of a worker, with a heading of a level. With `selection`, it has a check box. */
export const workerCard = (heading, selection) => (worker) => {
  const name = h(heading, { class: "name", dir: "auto" }), rate = h("span", { class: "number muted" });
  const what = h("p", { class: "muted line", dir: "auto" }), slots = h("div", { class: "slots" });
  const facts = h("p", { class: "muted small line" }),
    state = h("span"),
    actions = h("span", { class: "card-actions" });
  const box = selection && h("input", { type: "checkbox", onchange: () => selection.toggle(worker.id, box.checked) });
  const node = h(
    "li",
    { class: "card worker" },
    h("div", { class: "card-top" }, box, name, state, rate),
    what,
    slots,
    h("div", { class: "card-bottom" }, facts, actions),
  );
  let shownState, shownSlots = "";
  return {
    node,
    update(next) {
      worker = next;
      setText(name, worker.name);
      setAttribute(name, "title", worker.id);
      setText(rate, worker.framesPerSecond === undefined ? "" : fps(worker.framesPerSecond));
      setText(what, doing(worker));
      setAttribute(what, "title", doing(worker));
      setAttribute(node, "data-state", worker.state);
      if (box) {
        box.checked = selection.has(worker.id);
        setAttribute(box, "aria-label", `Select ${worker.name}`);
      }
      const key = `${worker.state}${worker.leases === 0}${may("workers")}`;
      if (key !== shownState) {
        shownState = key;
        fill(state, workerState(worker));
        fill(
          actions,
          may("workers") &&
            (worker.state === "active"
              ? button("Drain", () => drain([worker]), { class: "quiet", "aria-label": `Drain ${worker.name}` })
              : worker.state !== "lost" &&
                button("Resume", () => resume([worker]), { class: "quiet", "aria-label": `Resume ${worker.name}` })),
        );
      }
      const parts = (worker.rendering ?? []).map((each) =>
        each.frameCount > 0 ? each.framesRendered / each.frameCount : 0
      );
      while (parts.length < Math.min(worker.leases, worker.slots)) parts.push(1);
      const slotsNow = JSON.stringify([worker.slots, parts.map((part) => Math.round(part * 50))]);
      if (slotsNow !== shownSlots) {
        shownSlots = slotsNow;
        showSlots(slots, worker, parts);
      }
      setText(
        facts,
        [
          worker.host && worker.host.split(".")[0] !== worker.name && worker.host,
          worker.cores && plural(worker.cores, "core"),
          memoryOf(worker),
          `${count(worker.segmentsCompleted)} done`,
          worker.segmentsFailed > 0 && `${count(worker.segmentsFailed)} failed`,
          worker.state !== "lost" && silence(worker) > 60 && `seen ${ago(silence(worker))}`,
        ].filter(Boolean).join(" · "),
      );
      setAttribute(
        facts,
        "title",
        [worker.host, worker.version && `version ${worker.version}`].filter(Boolean).join(", ") || undefined,
      );
    },
  };
};

const showSlots = (node, worker, parts) => {
  const shown = Math.min(worker.slots, mostSlots);
  while (node.children.length > shown) node.lastChild.remove();
  while (node.children.length < shown) node.append(h("i", { class: "slot" }, h("b")));
  for (let index = 0; index < shown; index++) {
    const bar = node.children[index];
    bar.classList.toggle("busy", index < parts.length);
    bar.firstChild.style.width = `${100 * (parts[index] ?? 0)}%`;
  }
  node.setAttribute("role", "img");
  const busy = Math.min(worker.leases, worker.slots);
  node.setAttribute(
    "aria-label",
    `${busy} of ${plural(worker.slots, "slot")} busy` +
      (parts.length ? `, at ${parts.slice(0, 8).map((part) => percent(part, 1)).join(", ")}` : ""),
  );
  node.title = node.getAttribute("aria-label");
};

/** The address at which a worker's card is shown. */
export const workerAddress = (worker) => `${address("workers")}?q=${encodeURIComponent(worker.name)}`;
