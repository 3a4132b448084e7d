// The farm: what needs attention, what renders, what waits, the workers, and figures over time.
import { getIfAny } from "./api.js";
import { chart, sparkline } from "./chart.js";
import { button, fill, h, icon, keyed, setText } from "./dom.js";
import { jobCard } from "./job-card.js";
import { resume } from "./actions.js";
import { emptyState, loading } from "./state.js";
import { isFinal, isWorking, may, newestFirst, seesFarm, store } from "./store.js";
import { bytes, count, fps, plural } from "./text.js";
import { moment } from "./time.js";
import { workerAddress, workerCard } from "./worker-card.js";

const shownWaiting = 10, shownAttention = 10, shownDone = 5, shownWorkers = 24;
const day = 86400000;

/** Jobs by what the farm's view does with them. */
const sorted = () => {
  const groups = { trouble: [], rendering: [], waiting: [], done: [] };
  for (const job of newestFirst()) {
    if (job.state === "failed") {
      if (Date.now() - new Date(job.finishedAt ?? job.createdAt) < day) groups.trouble.push(job);
    } else if (!isFinal(job) && job.waitingFor) groups.trouble.push(job);
    else if (isWorking(job) && (job.segments.leased > 0 || job.framesRendered > 0 || job.state === "assembling")) {
      groups.rendering.push(job);
    } else if (!isFinal(job)) groups.waiting.push(job);
    else if (job.state === "completed") groups.done.push(job);
  }
  groups.rendering.sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0) || (a.createdAt < b.createdAt ? -1 : 1));
  groups.waiting.sort((a, b) =>
    (a.position ?? 1e9) - (b.position ?? 1e9) || (b.priority ?? 0) - (a.priority ?? 0) ||
    (a.createdAt < b.createdAt ? -1 : 1)
  );
  return groups;
};

/** A section with cards of jobs, which is hidden while it has none. */
const jobSection = (title, most, link) => {
  const list = h("ul", { class: "cards" }), cards = keyed(jobCard), more = h("a", { class: "more", href: link });
  const number = h("span", { class: "muted number" });
  const node = h("section", { hidden: true }, h("h2", {}, title, " ", number), list, more);
  return {
    node,
    update(jobs) {
      node.hidden = jobs.length === 0;
      setText(number, jobs.length > 1 ? count(jobs.length) : "");
      cards.show(list, jobs.slice(0, most));
      more.hidden = jobs.length <= most;
      setText(more, `All ${count(jobs.length)} jobs`);
    },
    leave: () => cards.show(list, []),
  };
};

/** A card with one figure. */
const figure = (word, extra) => {
  const value = h("p", { class: "big number" }), note = h("p", { class: "muted small" });
  return {
    node: h("li", { class: "card figure" }, h("h2", { class: "muted" }, word), value, extra, note),
    value,
    note,
  };
};

/** What the farm itself needs help with: workers that are not trusted, a full disk, damaged files. */
const warnings = () => {
  const found = [];
  for (const worker of store.workers.values()) {
    if (worker.state === "distrusted") {
      found.push({
        id: `distrusted ${worker.id}`,
        title: `${worker.name} is distrusted`,
        text: `${
          (worker.reason ?? "Its chunks differ from those of other workers").replace(/\.$/, "")
        }. Check its memory and disk before you resume it.`,
        href: workerAddress(worker),
        action: may("workers") && (() => button("Resume", () => resume([worker]))),
      });
    }
  }
  // A worker that was started anew leaves its old registration behind.
  const names = new Set(
    [...store.workers.values()].filter((worker) => worker.state === "active").map((each) => each.name),
  );
  const aside = [...store.workers.values()].filter((worker) =>
    worker.state === "setAside" || (worker.state === "lost" && !names.has(worker.name))
  );
  if (aside.length > 0) {
    found.push({
      id: `aside ${aside.length}`,
      title: `${plural(aside.length, "worker")} ${aside.length === 1 ? "does" : "do"} not render`,
      text: aside.slice(0, 3).map((worker) =>
        `${worker.name}: ${worker.state === "lost" ? "lost" : "set aside after failures"}`
      ).join(" · ") +
        (aside.length > 3 ? " …" : "") + ". Look at the host and at the worker's log.",
      href: "#/workers?state=trouble",
    });
  }
  const disk = store.farm?.disk;
  if (disk && disk.free < disk.reserve * 1.5) {
    found.push({
      id: "disk",
      title: `${bytes(disk.free)} of disk space left`,
      text: `The farm stops taking work at ${bytes(disk.reserve)}. Delete finished jobs, or add space.`,
      href: "#/jobs?state=completed",
    });
  }
  const backup = store.farm?.lastBackup;
  if (backup && Date.now() - new Date(backup) > day) {
    found.push({
      id: "backup",
      title: `The last backup is from ${moment(backup)}`,
      text: "It is older than a day. Check the task that runs sheaf-coordinator backup.",
      href: "#/",
    });
  }
  if (store.scrub?.damagedFiles > 0) {
    found.push({
      id: `damage ${store.scrub.damagedFiles}`,
      title: `${plural(store.scrub.damagedFiles, "damaged file")} found`,
      text: "The coordinator's log names them. Check the disk.",
      href: "#/jobs",
    });
  }
  return found;
};

const warningCard = (warning) => {
  const node = h(
    "li",
    { class: "card warning" },
    icon("warning"),
    h(
      "div",
      {},
      h("h3", { dir: "auto" }, h("a", { href: warning.href }, warning.title)),
      h("p", { class: "muted", dir: "auto" }, warning.text),
    ),
    h("div", { class: "card-actions" }, warning.action?.()),
  );
  return { node, update() {} };
};

export const farmView = () => {
  const rate = sparkline("Throughput over the last hour");
  const figures = {
    rendering: figure("Rendering"),
    rate: figure("Throughput", rate.node),
    workers: figure("Workers"),
    disk: figure("Disk"),
  };
  const board = h("ul", { class: "figures-row" }, Object.values(figures).map((each) => each.node));
  const trouble = jobSection("Needs attention", shownAttention, "#/jobs?state=failed");
  const warningList = h("ul", { class: "cards" }), warningCards = keyed(warningCard);
  const rendering = jobSection("Rendering", 30, "#/jobs?state=rendering");
  const waiting = jobSection("Waiting", shownWaiting, "#/jobs?state=waiting");
  const done = jobSection("Recently completed", shownDone, "#/jobs?state=completed");
  const workerList = h("ul", { class: "worker-grid" }), workerCards = keyed(workerCard("h3"));
  const allWorkers = h("a", { class: "more", href: "#/workers" });
  const workers = h("section", { hidden: true }, h("h2", {}, "Workers"), workerList, allWorkers);
  const charts = chartSection(rate);
  const search = h("p", { class: "muted small", id: "scrub" });
  const backup = h("p", { class: "muted small", id: "backup" });
  const empty = h("div"),
    content = h(
      "div",
      { class: "stack" },
      trouble.node,
      rendering.node,
      waiting.node,
      empty,
      done.node,
      workers,
      charts.node,
      backup,
      search,
    );
  trouble.node.insertBefore(warningList, trouble.node.querySelector("ul"));
  const node = h("div", { class: "page" }, h("h1", { class: "hidden-text" }, "Farm"), board, content);
  let wait = h("div"), isWaiting = false;

  const update = () => {
    if (!store.isLoaded && store.jobs.size === 0) {
      if (!isWaiting) {
        isWaiting = true;
        node.append(wait = loading());
        content.hidden = board.hidden = true;
      }
      return;
    }
    if (isWaiting) {
      isWaiting = false;
      wait.remove();
      content.hidden = board.hidden = false;
    }
    const groups = sorted(), problems = warnings();
    trouble.update(groups.trouble);
    warningCards.show(warningList, problems);
    if (problems.length > 0) trouble.node.hidden = false;
    rendering.update(groups.rendering);
    waiting.update(groups.waiting);
    done.update(groups.done);
    const isEmpty = store.jobs.size === 0;
    if (isEmpty !== (empty.firstChild !== null)) fill(empty, isEmpty && noJobs());
    showFigures(figures, groups);
    showWorkers();
    showBackup(backup);
    showSearch(search);
  };
  const showWorkers = () => {
    workers.hidden = !seesFarm();
    if (workers.hidden) return;
    const list = [...store.workers.values()].sort((a, b) =>
      (a.state === "lost") - (b.state === "lost") || a.name.localeCompare(b.name, "en", { numeric: true })
    );
    workerCards.show(workerList, list.slice(0, shownWorkers));
    allWorkers.hidden = list.length <= shownWorkers;
    setText(allWorkers, `All ${plural(list.length, "worker")}`);
    if (list.length === 0 && !workers.querySelector(".state")) workers.append(noWorkers());
    else if (list.length > 0) workers.querySelector(".state")?.remove();
  };
  update();
  return {
    node,
    update,
    tick: update,
    leave() {
      for (const part of [trouble, rendering, waiting, done, charts]) part.leave();
      workerCards.show(workerList, []);
      rate.leave();
    },
  };
};

const noJobs = () =>
  emptyState(
    "jobs",
    "No jobs yet",
    may("submit")
      ? "Drop clips on the Submit page, or run “sheaf submit cut.json”."
      : "Jobs appear here as soon as they are submitted.",
    may("submit") && h("a", { class: "button primary", href: "#/submit" }, "Submit a project"),
  );

const noWorkers = () =>
  emptyState(
    "workers",
    "No workers yet",
    `Start one on each host: sheaf-worker --coordinator ${location.origin} --token-file rack.token`,
  );

const showFigures = ({ rendering, rate, workers, disk }, groups) => {
  const failed = groups.trouble.filter((job) => job.state === "failed").length;
  setText(rendering.value, plural(groups.rendering.length, "job"));
  setText(
    rendering.note,
    [`${count(groups.waiting.length)} waiting`, failed > 0 && `${count(failed)} failed today`].filter(Boolean).join(
      " · ",
    ),
  );
  const list = [...store.workers.values()], farm = store.farm;
  const speeds = farm?.framesPerSecond ?? groups.rendering.reduce((sum, job) => sum + (job.framesPerSecond ?? 0), 0);
  setText(rate.value, fps(speeds));
  rate.note.hidden = true;
  const counts = farm?.workers;
  const active = counts ? counts.active : list.filter((worker) => worker.state === "active").length;
  const all = counts ? Object.values(counts).reduce((sum, each) => sum + each, 0) : list.length;
  workers.node.hidden = !seesFarm() && !farm;
  setText(workers.value, active === all ? count(all) : `${count(active)} of ${count(all)}`);
  const slots = farm?.slots ?? list.reduce((sum, worker) => sum + worker.slots, 0);
  const busy = farm?.slotsBusy ?? list.reduce((sum, worker) => sum + worker.leases, 0);
  const draining = counts?.draining ?? list.filter((worker) => worker.state === "draining").length;
  setText(
    workers.note,
    [
      draining > 0 && `${count(draining)} draining`,
      `${count(busy)} of ${plural(slots, "slot")} busy`,
      farm?.desiredWorkers > all && `${count(farm.desiredWorkers)} wanted`,
    ].filter(Boolean).join(" · "),
  );
  disk.node.hidden = !farm?.disk;
  if (!farm?.disk) return;
  const [free, unit] = bytes(farm.disk.free).split("\u00a0");
  setText(disk.value, `${free}\u00a0${unit} free`);
  const totals = [...store.jobs.values()].reduce((sum, job) => {
    sum.reused += job.framesReused ?? 0;
    sum.all += job.framesReused === undefined ? 0 : job.frameCount ?? 0;
    return sum;
  }, { reused: 0, all: 0 });
  setText(
    disk.note,
    [
      farm.stores && `chunks ${bytes(farm.stores.chunks)}`,
      farm.stores && `outputs ${bytes(farm.stores.outputs)}`,
      totals.reused > 0 && `${Math.round(100 * totals.reused / totals.all)}\u00a0% reused`,
    ].filter(Boolean).join(" · "),
  );
};

/** The time of the last backup. */
const showBackup = (node) => {
  const backup = store.farm?.lastBackup;
  setText(
    node,
    !store.farm
      ? ""
      : backup
      ? `Last backup of the ledger: ${moment(backup)}.`
      : "The ledger has never been backed up (sheaf-coordinator backup).",
  );
};

/** The progress of the search for damaged files. */
const showSearch = (node) => {
  const scrub = store.scrub;
  if (!scrub) return setText(node, "");
  setText(
    node,
    scrub.bytesPerSecond === 0
      ? "The search for damaged files is off (--scrub-bytes-per-second 0)."
      : scrub.files === 0 && !scrub.passes
      ? "The search for damaged files has not started."
      : `Search for damaged files: ${bytes(scrub.bytesRead)} of ${bytes(scrub.bytes)}, ${count(scrub.filesRead)} of ${
        plural(scrub.files, "file")
      }. ` +
        `${plural(scrub.damagedFiles, "damaged file")} found since the coordinator started.`,
  );
};

/** Charts of throughput and queue over an hour or a day. They are hidden if the coordinator keeps no history. */
const chartSection = (rate) => {
  const throughput = chart("Throughput", "done", fps),
    queue = chart("Segments waiting", "busy", (value) => count(value));
  let range = "hour", timer, isLeft = false;
  const choices = ["hour", "day"].map((each) =>
    button(`Last ${each}`, () => {
      range = each;
      mark();
      load();
    }, { class: "choice", "data-range": each })
  );
  const mark = () => choices.forEach((choice) => choice.setAttribute("aria-pressed", choice.dataset.range === range));
  mark();
  const node = h(
    "section",
    { hidden: true },
    h(
      "div",
      { class: "section-head" },
      h("h2", {}, "Activity"),
      h("div", { class: "choices", role: "group", "aria-label": "Range" }, choices),
    ),
    h("div", { class: "chart-grid" }, throughput.node, queue.node),
  );
  const load = async () => {
    clearTimeout(timer);
    let isThere = true;
    try {
      const history = await getIfAny(`/farm/history?range=${range}`);
      isThere = history !== undefined;
      if (isLeft) return;
      if (history?.points?.length > 1) {
        node.hidden = false;
        const start = new Date(history.start).getTime(),
          times = history.points.map((_, index) => start + index * history.interval * 1000);
        throughput.update(history.points.map((point) => point.framesPerSecond ?? 0), times);
        queue.update(history.points.map((point) => point.pending ?? 0), times);
        if (range === "hour") {
          rate.update(
            history.points.map((point) => point.framesPerSecond ?? 0),
            fps(history.points.at(-1).framesPerSecond ?? 0) + " now",
          );
        }
      }
    } catch { /* Tried again later. */ }
    if (isThere && !isLeft) timer = setTimeout(load, 30000);
  };
  load();
  return {
    node,
    leave() {
      isLeft = true;
      clearTimeout(timer);
      throughput.leave();
      queue.leave();
    },
  };
};
