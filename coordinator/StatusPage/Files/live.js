// Keeps the store up to date: server-sent events, and figures of the farm every few seconds.
import { call, get, getIfAny, getList } from "./api.js";
import { seesFarm, store } from "./store.js";

const pageOfJobs = 1000;
/** How long a tab that nobody sees keeps its stream, and the time between its requests after that, in milliseconds. */
const hiddenPatience = 30000;
let isResting = false, restTimer, sessionListener;
let events, farmTimer, retryTimer, hasFarm = true, openings = 0, silences = 0;

/** Begins to watch the farm. `onSession` is called if the session must be looked at again. */
export const watch = (onSession) => {
  unwatch();
  sessionListener = onSession;
  store.set({ connection: "connecting" });
  open(onSession);
  [hasFarm, silences] = [true, 0];
  pollFarm(onSession);
};

/** Ends watching. */
export const unwatch = () => {
  events?.close();
  events = sessionListener = undefined;
  openings = 0;
  isResting = false;
  clearTimeout(restTimer);
  clearTimeout(farmTimer);
  clearTimeout(retryTimer);
};

/** Tries to connect at once. */
export const reconnect = (onSession) => {
  events?.close();
  clearTimeout(retryTimer);
  open(onSession);
};

const open = (onSession) => {
  const stream = events = new EventSource("/api/v1/events");
  stream.onopen = () => {
    heard();
    load();
    if (openings++ > 0) pollFarm(onSession);
  };
  // The browser reconnects by itself, with `Last-Event-ID`, unless the coordinator (or a proxy) answered with an error.
  stream.onerror = () => {
    if (stream !== events) return;
    store.set({ connection: "lost" });
    if (stream.readyState !== EventSource.CLOSED) return;
    clearTimeout(retryTimer);
    retryTimer = setTimeout(onSession, 2000);
  };
  const on = (name, take) =>
    stream.addEventListener(name, (event) => {
      heard();
      try {
        take(JSON.parse(event.data));
      } catch (error) {
        console.error(error);
      }
    });
  on("job", (job) => store.setJob(job));
  on("worker", (worker) => store.setWorker(worker));
  on("removed", ({ job, worker }) => job ? store.removeJob(job) : store.removeWorker(worker));
};

const heard = () => {
  store.heardAt = Date.now();
  if (store.connection !== "live") store.set({ connection: "live" });
};

/** Loads the newest jobs and the workers, because an event stream does not tell what is gone. */
const load = async () => {
  try {
    store.setNewestJobs(await getList(`/jobs?limit=${pageOfJobs}`), pageOfJobs);
    if (seesFarm()) store.setWorkers(await get("/workers"));
  } catch (problem) {
    if (!store.isLoaded && !problem.isUnreachable) store.set({ isLoaded: true });
  }
};

/** Loads jobs that are older than all that the page knows. */
export const loadOlder = async () => {
  let oldest;
  for (const job of store.jobs.values()) if (!oldest || job.createdAt < oldest.createdAt) oldest = job;
  const list = await getList(`/jobs?limit=${pageOfJobs}${oldest ? `&before=${oldest.id}` : ""}`);
  list.forEach((job) => {
    if (!store.jobs.has(job.id)) store.setJob(job);
  });
  store.set({ hasOlder: list.length === pageOfJobs });
};

const pollFarm = async (onSession) => {
  clearTimeout(farmTimer);
  try {
    if (hasFarm) {
      const farm = await getIfAny("/farm");
      hasFarm = farm !== undefined;
      if (farm) store.set({ farm });
    }
    if (seesFarm()) {
      const scrub = store.farm?.search ?? await getIfAny("/scrub");
      if (scrub) store.set({ scrub });
    }
    silences = 0;
  } catch (problem) {
    // The event stream notices that the coordinator is gone, but not that a network swallows everything.
    if (problem.isUnreachable && ++silences >= 2 && store.connection === "live") {
      store.set({ connection: "lost" });
      reconnect(onSession);
    }
  }
  farmTimer = setTimeout(() => pollFarm(onSession), document.hidden ? 30000 : 5000);
};

/** Looks at the newest jobs now and then, instead of watching. */
const rest = async () => {
  if (!isResting) {
    isResting = true;
    events?.close();
  }
  try {
    const jobs = await getList("/jobs?limit=100");
    jobs.forEach((job) => store.setJob(job));
    heard();
  } catch (problem) {
    if (problem.isUnreachable) store.set({ connection: "lost" });
  }
  if (isResting) restTimer = setTimeout(rest, hiddenPatience);
};

// Browsers open six connections to a host at a time, and a stream takes one, also that of a tab in the background or of a
// page that one may go back to. So only tabs that somebody sees keep theirs.
document.addEventListener("visibilitychange", () => {
  clearTimeout(restTimer);
  if (sessionListener === undefined) return;
  if (document.hidden) restTimer = setTimeout(rest, hiddenPatience);
  else if (isResting) {
    isResting = false;
    reconnect(sessionListener);
  }
});
addEventListener("pagehide", () => events?.close());
addEventListener("pageshow", (event) => {
  if (event.persisted && sessionListener) reconnect(sessionListener);
});

/** The current session. */
export const session = () => call("GET", "/session", { timeout: 8000 });
