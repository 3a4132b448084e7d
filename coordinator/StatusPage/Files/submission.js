// What is being submitted: the clips and settings or a project file, the files, their uploads, and the draft of it all.
import { call, Problem, randomKey } from "./api.js";
import { kindOf } from "./clip-media.js";
import { draftOf, dropDraft, keepDraft, loadDraft } from "./draft.js";
import { placed } from "./findings.js";
import { filesIn, projectOf } from "./sequence.js";
import { hash, stored, upload } from "./upload.js";

const empty = () => ({
  name: "",
  title: "",
  preset: "automatic",
  priority: 0,
  music: { file: "", volume: 0.5, loop: true, duck: true },
});

export class Submission {
  clips = [];
  /** The files by the name that the project uses: `{name, size, modified, digest, file, state, done, problem}`. */
  files = new Map();
  settings = empty();
  /** A dropped project file: `{name, text}`, instead of the sequence. */
  project;
  findings = [];
  /** Whether the user has asked to submit: uploads run, and the job follows. */
  isSubmitting = false;
  key = randomKey();
  #listener = () => {};
  #checkTimer;
  #checkTurn = 0;
  #canCheck = true;

  onChange(listener) {
    this.#listener = listener;
  }
  known() {
    this.#listener();
  }
  fileOf(clip) {
    return this.files.get(clip.file);
  }
  get isEmpty() {
    return this.clips.length === 0 && !this.project;
  }

  /** Takes files that a user has dropped or chosen. */
  async add(files) {
    for (const file of files) {
      const kind = kindOf(file);
      if (kind === "project") {
        await this.#takeProject(file);
        continue;
      }
      const known = this.#enter(file);
      if (this.project || known.isOld) continue;
      if (kind === "audio") this.settings.music.file = known.name;
      else {this.clips.push({
          id: randomKey().slice(0, 8),
          file: known.name,
          in: "",
          out: kind === "image" ? "3" : "",
          transition: "cut",
          transitionDuration: "1",
        });}
    }
    this.changed();
  }

  async #takeProject(file) {
    const text = await file.text();
    this.project = { name: file.name, text };
    if (!this.settings.name) this.settings.name = file.name.replace(/\.json$/i, "");
    this.#expectFiles();
  }

  /** Notes the files that a project names, so that the page can say which are missing. */
  #expectFiles() {
    let names = [];
    try {
      names = filesIn(JSON.parse(this.project.text));
    } catch (error) {
      this.findings = [{ path: this.project.name, message: `This is not JSON: ${error.message}` }];
      return;
    }
    const old = [...this.files.values()];
    this.files = new Map(names.map((name) => {
      // A browser does not tell the folder of a file, so the last part of the path decides.
      const found = old.find((each) => each.name === name) ??
        old.find((each) => each.name === name.split("/").at(-1) && each.file);
      return [name, found ? { ...found, name } : { name, size: 0, state: "missing", done: 0 }];
    }));
    for (const entry of this.files.values()) if (entry.file && !entry.digest) this.#hash(entry);
  }

  /** Enters a file under a name that no other file has. */
  #enter(file) {
    if (this.project) {
      const expected = [...this.files.values()].find((each) =>
        each.name === file.name || each.name.split("/").at(-1) === file.name
      );
      if (expected) {
        this.attach(expected, file);
        return expected;
      }
    }
    const same = [...this.files.values()].find((each) => each.name === file.name && each.size === file.size);
    if (same) {
      const isOld = !same.file;
      if (isOld) this.attach(same, file);
      return { name: same.name, isOld };
    }
    let name = file.name;
    for (let number = 2; this.files.has(name); number++) name = file.name.replace(/(\.[^.]*)?$/, ` (${number})$1`);
    const entry = { name, size: file.size, modified: file.lastModified, file, state: "hashing", done: 0 };
    this.files.set(name, entry);
    this.#hash(entry);
    return entry;
  }

  /** Gives an entry its file, such as after a reload. */
  attach(entry, file) {
    if (entry.digest && entry.size !== file.size) {
      entry.problem = `This is a different file: it has ${file.size} bytes instead of ${entry.size}.`;
      return this.changed();
    }
    const hadDigest = entry.digest;
    Object.assign(entry, { file, size: file.size, modified: file.lastModified, problem: undefined });
    if (!hadDigest) this.#hash(entry);
    else if (this.isSubmitting) this.#upload(entry);
    else entry.state = "ready";
    this.changed();
  }

  async #hash(entry) {
    entry.state = "hashing";
    try {
      entry.digest = await hash(entry.file, (done) => {
        entry.done = done;
        this.#listener();
      });
      entry.state = "ready";
      entry.done = 0;
    } catch (problem) {
      [entry.state, entry.problem] = ["failed", problem.detail];
    }
    this.changed();
    if (this.isSubmitting && entry.state === "ready") this.#upload(entry);
  }

  remove(clip) {
    this.clips = this.clips.filter((each) => each !== clip);
    this.#dropUnused();
    this.changed();
  }

  setMusic(name) {
    this.settings.music.file = name;
    this.#dropUnused();
    this.changed();
  }
  dropProject() {
    this.project = undefined;
    this.findings = [];
    this.#dropUnused();
    this.changed();
  }

  #dropUnused() {
    if (this.project) return;
    const used = new Set([...this.clips.map((clip) => clip.file), this.settings.music.file]);
    for (const [name, entry] of this.files) {
      if (!used.has(name)) {
        entry.stop?.abort();
        this.files.delete(name);
      }
    }
  }

  /** Tells the view, keeps the draft, and asks the coordinator about findings after a while. */
  changed() {
    this.#listener();
    this.#keep();
    clearTimeout(this.#checkTimer);
    this.#checkTimer = setTimeout(() => this.check(), 400);
  }

  #keep() {
    if (this.isEmpty && this.files.size === 0) return dropDraft();
    keepDraft(draftOf(this));
  }

  /** Continues what was begun before the page was reloaded. Returns whether there was anything. */
  async restore() {
    const draft = await loadDraft();
    if (!draft || !this.isEmpty) return false;
    Object.assign(this, {
      clips: draft.clips,
      settings: { ...empty(), ...draft.settings },
      project: draft.project,
      isSubmitting: draft.isSubmitting,
      key: draft.key,
    });
    for (const each of draft.files) {
      this.files.set(each.name, {
        ...each,
        done: 0,
        state: each.file ? (each.digest ? "ready" : "hashing") : "missing",
      });
    }
    for (const entry of this.files.values()) {
      if (entry.file && !entry.digest) this.#hash(entry);
      else if (this.isSubmitting && entry.digest) entry.file ? this.#upload(entry) : this.#findStored(entry);
    }
    this.changed();
    return true;
  }

  /** A file that the browser did not keep may be on the coordinator already. */
  async #findStored(entry) {
    try {
      entry.done = await stored(entry.digest, entry.size);
      if (entry.done >= entry.size) {
        entry.state = "done";
        this.#submitIfReady();
      }
    } catch { /* The user is asked for the file. */ }
    this.#listener();
  }

  /** The body of a submission: its name, project and assets. */
  body() {
    const { project, problems, places } = this.project
      ? { problems: [], places: [] }
      : projectOf({ clips: this.clips, ...this.settings });
    const assets = Object.fromEntries(
      [...this.files.values()].filter((each) => each.digest).map(
        (each) => [each.name, { digest: each.digest, byteCount: each.size }],
      ),
    );
    return {
      problems,
      places,
      body: {
        name: this.settings.name.trim() || this.clips[0]?.file.replace(/\.[^.]*$/, "") || "untitled",
        project: this.project?.text ?? JSON.stringify(project, null, 2),
        assets,
        priority: this.settings.priority || undefined,
      },
    };
  }

  /** Asks the coordinator what is wrong with the project. */
  async check() {
    const turn = ++this.#checkTurn;
    if (this.isEmpty) {
      this.findings = [];
      return this.#listener();
    }
    const { body, problems, places } = this.body();
    let found = [];
    if (
      problems.length === 0 && this.#canCheck &&
      [...this.files.values()].every((each) => each.digest || each.state === "missing")
    ) {
      try {
        found = (await call("POST", "/api/v1/projects/check", { body })).findings;
      } catch (problem) {
        if ([404, 405].includes(problem.status)) this.#canCheck = false;
      }
      // Files that the page is about to upload are not missing.
      found = found.filter((each) =>
        !each.missingAsset || ![...this.files.values()].some((file) => file.digest === each.missingAsset)
      );
    }
    if (turn !== this.#checkTurn) return;
    this.#place([...problems, ...found], places);
  }

  /** Notes findings, each beside the clip or setting that it concerns. */
  #place(found, places) {
    this.findings = placed(found, places, Boolean(this.project));
    this.#listener();
  }

  /** Begins to upload, and submits once everything is there. Resolves with nothing; `onJob(job)` follows. */
  async submit(onJob) {
    this.onJob = onJob;
    await this.check();
    if (this.findings.some((each) => !each.isWarning)) return;
    this.isSubmitting = true;
    this.changed();
    for (const entry of this.files.values()) {
      if (entry.state === "ready" || entry.state === "failed") this.#upload(entry);
    }
    this.#submitIfReady();
  }

  stop() {
    this.isSubmitting = false;
    for (const entry of this.files.values()) {
      entry.stop?.abort();
      if (entry.state === "uploading") entry.state = "ready";
    }
    this.changed();
  }

  async #upload(entry) {
    if (entry.state === "uploading" || entry.state === "done" || !entry.file || !entry.digest) return;
    entry.state = "uploading";
    entry.stop = new AbortController();
    this.#listener();
    try {
      await upload(entry.file, entry.digest, (done) => {
        entry.done = done;
        this.#listener();
      }, entry.stop.signal);
      Object.assign(entry, { state: "done", done: entry.size, problem: undefined });
    } catch (problem) {
      if (problem.name === "AbortError") return;
      if (problem.type?.endsWith?.("digest-mismatch")) {
        entry.digest = undefined;
        return this.#hash(entry);
      }
      Object.assign(entry, { state: "failed", problem: problem.detail ?? String(problem) });
      this.isSubmitting = false;
    }
    this.changed();
    this.#submitIfReady();
  }

  #isPosting = false;
  async #submitIfReady() {
    if (
      !this.isSubmitting || this.#isPosting || !this.onJob ||
      ![...this.files.values()].every((each) => each.state === "done")
    ) return;
    this.#isPosting = true;
    const { body, places } = this.body();
    try {
      const job = await call("POST", "/api/v1/jobs", {
        body,
        headers: { "Idempotency-Key": this.key },
        timeout: 60000,
      });
      this.reset();
      this.onJob(job);
    } catch (problem) {
      if (problem instanceof Problem && problem.isUnreachable) {
        setTimeout(() => {
          this.#isPosting = false;
          this.#submitIfReady();
        }, 2000);
        return;
      }
      this.isSubmitting = false;
      this.key = randomKey();
      if (problem.type.endsWith("missing-asset")) {
        for (const entry of this.files.values()) if (entry.state === "done") entry.state = "ready";
      }
      this.#keep();
      // The check tells the places of the findings, which the text of a problem does not.
      if (problem.type.endsWith("invalid-project")) await this.check();
      if (!this.findings.some((each) => !each.isWarning)) {
        this.#place(problem.detail.split("\n").map((message) => ({ message })), places);
      }
    }
    this.#isPosting = false;
    this.#listener();
  }

  /** Continues a submission that waits for the view to say what to do with its job. */
  resume(onJob) {
    this.onJob = onJob;
    this.#submitIfReady();
  }

  reset() {
    Object.assign(this, {
      clips: [],
      files: new Map(),
      settings: empty(),
      project: undefined,
      findings: [],
      isSubmitting: false,
      key: randomKey(),
    });
    dropDraft();
    this.#listener();
  }
}

/** The one submission of this page, which goes on while its user looks at other views. */
export const submission = new Submission();
