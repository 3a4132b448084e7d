// What a user can do to jobs and workers.
import { call } from "./api.js";
import { button, h } from "./dom.js";
import { isFinal, may, store } from "./store.js";
import { announce, ask, attempt, say } from "./talk.js";
import { plural } from "./text.js";

const path = (kind, id, rest) => `/api/v1/${kind}/${encodeURIComponent(id)}${rest}`;
const refresh = (job) => {
  if (job?.id) store.setJob(job);
};

/** Whether an action suits the state of a job, and the user may do it. */
export const suits = {
  cancel: (job) => may("job", job) && !isFinal(job),
  retry: (job) => may("job", job) && (job.state === "failed" || job.state === "cancelled"),
  priority: (job) => may("job", job) && !isFinal(job),
  remove: (job) => may("job", job) && isFinal(job),
};

const quoted = (jobs) => jobs.length === 1 ? `“${jobs[0].name}”` : plural(jobs.length, "job");

/** Does the same to each of several jobs, and says how it went. */
const each = async (jobs, doing, done, work) => {
  const problems = [];
  for (const job of jobs) {
    try {
      await work(job);
    } catch (problem) {
      problems.push(problem);
    }
  }
  const succeeded = jobs.length - problems.length;
  if (succeeded > 0) say(`${done} ${jobs.length === 1 ? quoted(jobs) : plural(succeeded, "job")}.`);
  if (problems.length > 0) {
    say(`${doing} ${plural(problems.length, "job")} failed: ${problems[0].detail}`, { isProblem: true });
  }
};

export const cancel = async (jobs) => {
  if (
    await ask(
      `Cancel ${quoted(jobs)}?`,
      "Rendered segments are kept, so a retry continues from there.",
      "Cancel rendering",
    )
  ) {
    await each(
      jobs,
      "Canceling",
      "Cancelled",
      async (job) => refresh(await call("POST", path("jobs", job.id, "/cancel"))),
    );
  }
};

export const retry = (jobs) =>
  each(jobs, "Retrying", "Retrying", async (job) => refresh(await call("POST", path("jobs", job.id, "/retry"))));

export const remove = async (jobs) => {
  if (!await ask(`Delete ${quoted(jobs)}?`, "The finished file is deleted too. This cannot be undone.", "Delete")) {
    return;
  }
  await each(jobs, "Deleting", "Deleted", async (job) => {
    await call("DELETE", path("jobs", job.id, ""));
    store.removeJob(job.id);
  });
};

export const setPriority = async (jobs) => {
  const input = h("input", {
    type: "number",
    min: -100,
    max: 100,
    step: 1,
    required: true,
    value: jobs[0].priority ?? 0,
    id: "priority",
  });
  const field = h("label", { class: "field" }, "Priority, from −100 to 100. Higher ones are rendered first.", input);
  Object.defineProperty(field, "value", { get: () => input.value });
  const answer = await ask(`Priority of ${quoted(jobs)}`, undefined, "Set priority", { field, no: "Close" });
  if (answer === false || answer === "") return;
  await each(
    jobs,
    "Setting the priority of",
    "Changed the priority of",
    async (job) =>
      refresh(await call("PUT", path("jobs", job.id, "/priority"), { body: { priority: Number(answer) } })),
  );
};

/** Lets workers finish their segments and take no more, or take segments again. */
export const drain = (workers) => changeWorkers(workers, "drain", "draining");
export const resume = (workers) => changeWorkers(workers, "resume", "taking segments again");

const changeWorkers = async (workers, verb, outcome) => {
  for (const worker of workers) {
    await attempt(
      `Could not ${verb} ${worker.name}`,
      async () => store.setWorker(await call("POST", path("workers", worker.id, `/${verb}`))),
    );
  }
  announce(`${workers.length === 1 ? workers[0].name : plural(workers.length, "worker")}: ${outcome}`);
};

/** The link that downloads a finished file. */
export const download = (job, className = "button") =>
  job.output && h("a", {
    class: className,
    href: path("jobs", job.id, "/output"),
    download: job.output.fileName,
  }, "Download");

/** The one action that a job in a list needs most, if the user may do it. */
export const mainAction = (job) => {
  if (job.output) return download(job);
  if (suits.retry(job)) return button("Retry", () => retry([job]), { "aria-label": `Retry ${job.name}` });
  if (suits.cancel(job)) return button("Cancel", () => cancel([job]), { "aria-label": `Cancel ${job.name}` });
};
