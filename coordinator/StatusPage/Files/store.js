// Everything that the page knows of the farm, and who wants to hear about changes.

/** The number of ended jobs that are kept in memory. The oldest go first. */
const keptJobs = 5000;

/** A set of everything that changed since the views were last told. */
const nothing = () => ({ jobs: new Set(), workers: new Set(), farm: false, connection: false, session: false });

export const isFinal = (job) => job.state === "completed" || job.state === "failed" || job.state === "cancelled";
export const isWorking = (job) => job.state === "planning" || job.state === "rendering" || job.state === "assembling";

class Store {
  jobs = new Map();
  workers = new Map();
  farm;
  scrub;
  session = {};
  /** "connecting", "live" or "lost". */
  connection = "connecting";
  /** Whether the first list of jobs has arrived. */
  isLoaded = false;
  /** When the page last heard from the coordinator. */
  heardAt = Date.now();
  /** Whether there are older jobs that the page has not loaded. */
  hasOlder = false;
  #changes = nothing();
  #isScheduled = false;
  #listeners = new Set();
  #endings = new Set();

  /** Calls a function with the changes, at most once a frame. Returns a function that ends this. */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls a function with each job that ends while the page watches. */
  onEnding(listener) {
    this.#endings.add(listener);
  }

  setJob(job) {
    const before = this.jobs.get(job.id);
    this.jobs.set(job.id, job);
    this.#changes.jobs.add(job.id);
    if (this.isLoaded && before && !isFinal(before) && isFinal(job)) {
      for (const tell of this.#endings) tell(job, before);
    }
    if (this.jobs.size > keptJobs) this.#forgetOldest();
    this.#schedule();
  }

  removeJob(id) {
    if (!this.jobs.delete(id)) return;
    this.#changes.jobs.add(id);
    this.#schedule();
  }

  setWorker(worker) {
    this.workers.set(worker.id, { ...worker, heardAt: Date.now() });
    this.#changes.workers.add(worker.id);
    this.#schedule();
  }

  removeWorker(id) {
    if (!this.workers.delete(id)) return;
    this.#changes.workers.add(id);
    this.#schedule();
  }

  /** Replaces the workers by a list. */
  setWorkers(list) {
    const ids = new Set(list.map((worker) => worker.id));
    for (const id of this.workers.keys()) if (!ids.has(id)) this.removeWorker(id);
    list.forEach((worker) => this.setWorker(worker));
  }

  /** Merges the newest jobs, and removes those that the list should contain but does not. */
  setNewestJobs(list, limit) {
    const ids = new Set(list.map((job) => job.id));
    const oldest = list.length < limit ? "" : list[list.length - 1].createdAt;
    for (const [id, job] of this.jobs) if (!ids.has(id) && job.createdAt > oldest) this.removeJob(id);
    list.forEach((job) => this.setJob(job));
    if (!this.isLoaded) this.hasOlder = list.length === limit;
    this.set({ isLoaded: true });
  }

  /** Sets properties, and tells the views. */
  set(values) {
    Object.assign(this, values);
    if ("connection" in values) this.#changes.connection = true;
    if ("session" in values) this.#changes.session = true;
    this.#changes.farm = true;
    this.#schedule();
  }

  /** Forgets the farm, such as when a user signs out. */
  clear() {
    this.jobs.clear();
    this.workers.clear();
    this.set({ farm: undefined, scrub: undefined, isLoaded: false, hasOlder: false });
  }

  #forgetOldest() {
    const ended = [...this.jobs.values()].filter(isFinal).sort((a, b) => a.createdAt < b.createdAt ? -1 : 1);
    for (const job of ended.slice(0, this.jobs.size - keptJobs)) this.jobs.delete(job.id);
    this.hasOlder = true;
  }

  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Frames are not drawn in a tab that nobody sees, but its title changes.
    if (document.hidden) setTimeout(() => this.#tell(), 1000);
    else requestAnimationFrame(() => this.#tell());
  }

  #tell() {
    this.#isScheduled = false;
    const changes = this.#changes;
    this.#changes = nothing();
    for (const listener of this.#listeners) listener(changes);
  }
}

export const store = new Store();

/** Whether the user may act on jobs (`"job"`, with the job), on workers, on tokens, or may submit. */
export const may = (what, job) => {
  const { role, name } = store.session;
  if (role === "admin") return true;
  if (role !== "submitter") return false;
  return what === "submit" || (what === "job" && (!job || job.submitter === name));
};

/** Whether the user may see workers and the whole farm. */
export const seesFarm = () => store.session.role === "admin" || store.session.role === "observer";

/** The jobs, newest first. */
export const newestFirst = () =>
  [...store.jobs.values()].sort((a, b) =>
    a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : a.id < b.id ? 1 : -1
  );
