// Plays something that grows: appends its segments to a video element as they arrive (Media Source Extensions).
import { codecsOf } from "./codecs.js";
import { parsePlaylist } from "./playlist.js";

/** How much is loaded ahead of the playhead, and kept behind it, in seconds. */
const ahead = 30, behind = 30;
/** Milliseconds between requests for a playlist that grows, between steps of the player, and after a problem. */
const refresh = 1000, step = 250, pauseAfterProblem = 2000;
/** How far behind the end the playhead stays while it follows a recording, in seconds. */
const distance = 2;

export class StreamPlayer {
  /** The playlist as it was last read: `{segments, end, hasEnded}`. */
  list = { segments: [], end: 0, hasEnded: false };
  #video;
  #address;
  #listener;
  #source = new MediaSource();
  #buffer;
  #headers = new Map();
  #appended = {};
  /** The number of the segment to load next. The segments from `#first` on are loaded, in one piece. */
  #first = 0;
  #next = 0;
  /** Whether the playhead has moved out of the segments that are loaded. */
  #mustClear = false;
  #ahead = ahead;
  #readAt = -Infinity;
  #isClosed = false;
  #wake = () => {};

  /**
   * Starts to play. `onChange()` is called when the playlist has grown, and `onChange(problem)` with a message if
   * something fails. `start` is the time to start at; if it is `undefined`, that is the start of a playlist that has
   * ended, and otherwise the end.
   */
  constructor(video, address, onChange, start) {
    this.#video = video;
    this.#address = new URL(address, location.href).href;
    this.#listener = onChange;
    video.src = URL.createObjectURL(this.#source);
    video.addEventListener("seeking", this.#seek);
    video.addEventListener("waiting", this.#jump);
    this.#source.addEventListener("sourceopen", () => this.#run(start), { once: true });
  }

  /** Whether the playhead is at the end of the playlist, or a few seconds before it. */
  get isAtEnd() {
    return this.list.end - this.#video.currentTime < distance + 3;
  }

  /** Moves the playhead to the end of the playlist. */
  follow() {
    this.#video.currentTime = Math.max(0, this.list.end - distance);
    this.#video.play().catch(() => {});
  }

  close() {
    this.#isClosed = true;
    this.#wake();
    this.#video.removeEventListener("seeking", this.#seek);
    this.#video.removeEventListener("waiting", this.#jump);
    URL.revokeObjectURL(this.#video.src);
    this.#video.removeAttribute("src");
    this.#video.load();
  }

  async #run(start) {
    let problem;
    while (!this.#isClosed) {
      try {
        if (this.#video.error) throw new Unplayable("The browser could not decode the recording.");
        await this.#read();
        if (!this.#buffer && this.list.segments.length > 0) await this.#begin(start);
        while (!this.#isClosed && await this.#load());
        if (problem) this.#listener();
        problem = undefined;
      } catch (error) {
        if (this.#isClosed) return;
        problem = error.message;
        this.#listener(problem);
        if (error instanceof Unplayable) return;
      }
      await new Promise((again) => {
        this.#wake = again;
        setTimeout(again, problem ? pauseAfterProblem : step);
      });
    }
  }

  /** Reads the playlist, unless it has ended or was read a moment ago. */
  async #read() {
    if (this.list.hasEnded || performance.now() - this.#readAt < refresh) return;
    this.#readAt = performance.now();
    const response = await fetch(this.#address, { cache: "no-store" });
    if (!response.ok) throw new Error(`The playlist cannot be loaded: the coordinator responded with ${response.status}.`);
    const list = parsePlaylist(await response.text(), this.#address);
    const hasGrown = list.end !== this.list.end || list.hasEnded !== this.list.hasEnded;
    this.list = list;
    if (!hasGrown) return;
    if (this.#buffer) this.#setDuration();
    this.#listener();
  }

  async #begin(start) {
    const codecs = codecsOf(await this.#header(this.list.segments[0]));
    const type = `video/mp4; codecs="${codecs.join(",")}"`;
    if (!MediaSource.isTypeSupported(type)) {
      throw new Unplayable(`This browser cannot play ${codecs.join(" and ")}.`);
    }
    this.#buffer = this.#source.addSourceBuffer(type);
    this.#setDuration();
    const time = start ?? (this.list.hasEnded ? 0 : Math.max(0, this.list.end - distance));
    this.#first = this.#next = this.#at(time);
    if (time > 0) this.#video.currentTime = time;
  }

  #setDuration() {
    if (this.#source.readyState === "open" && !this.#buffer.updating && this.list.end > (this.#source.duration || 0)) {
      this.#source.duration = this.list.end;
    }
  }

  /** The number of the segment that is shown at a time; of the last one at the end and after it. */
  #at(time) {
    const found = this.list.segments.findIndex((each) => each.end > time + 1e-3);
    return found < 0 ? Math.max(0, this.list.segments.length - 1) : found;
  }

  /** The end of the range that is loaded around the playhead; `undefined` if nothing is loaded there. */
  get #loadedUntil() {
    const { buffered, currentTime } = this.#video;
    for (let index = 0; index < buffered.length; index++) {
      if (buffered.start(index) <= currentTime + 0.1 && buffered.end(index) > currentTime) return buffered.end(index);
    }
    return undefined;
  }

  /** Whether the browser holds something of a segment. */
  #holds(number) {
    const { buffered } = this.#video, segment = this.list.segments[number];
    for (let index = 0; index < buffered.length; index++) {
      if (segment && buffered.start(index) < segment.end && buffered.end(index) > segment.start) return true;
    }
    return false;
  }

  /** Loads another segment if the playhead needs it. Returns whether it did. */
  async #load() {
    if (!this.#buffer) return false;
    const number = this.#next, segment = this.list.segments[number];
    if (!segment) {
      if (this.list.hasEnded && this.#source.readyState === "open") {
        this.#mustClear = false;
        this.#source.endOfStream();
      }
      return false;
    }
    if (segment.start - this.#video.currentTime > this.#ahead) return false;
    const [header, response] = await Promise.all([this.#header(segment), fetch(segment.url)]);
    if (!response.ok) {
      const problem = `A fragment of the recording cannot be loaded: the coordinator responded with ${response.status}.`;
      if (response.status !== 500) throw new Error(problem);
      // The fragment is damaged on disk. The others can be played.
      this.#listener(problem);
      if (number === this.#next) this.#next += 1;
      return true;
    }
    const bytes = await response.arrayBuffer();
    // The user may have moved the playhead meanwhile.
    if (this.#isClosed || number !== this.#next) return !this.#isClosed;
    if (this.#mustClear) {
      this.#mustClear = false;
      if (this.#source.readyState === "open") this.#buffer.abort();
      await this.#whenDone(() => this.#buffer.remove(0, Infinity));
      this.#appended = {};
    }
    if (this.#appended.part !== segment.part || this.#appended.number !== number - 1) {
      if (this.#source.readyState === "open") this.#buffer.abort();
      const type = `video/mp4; codecs="${codecsOf(header).join(",")}"`;
      if (!MediaSource.isTypeSupported(type)) throw new Unplayable(`This browser cannot play ${codecsOf(header).join(" and ")}.`);
      this.#buffer.changeType(type);
      this.#buffer.timestampOffset = segment.partStart;
      await this.#append(header);
    }
    if (!await this.#append(bytes)) return false;
    this.#appended = { part: segment.part, number };
    // If the playhead has left meanwhile, everything is loaded anew, even if it came back to this segment.
    if (number === this.#next && !this.#mustClear) this.#next += 1;
    await this.#evict();
    this.#setDuration();
    if (this.#video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) this.#jump();
    return true;
  }

  /** The header of a segment's part. */
  async #header(segment) {
    if (!this.#headers.has(segment.header)) {
      const response = await fetch(segment.header);
      if (!response.ok) throw new Error(`The recording cannot be loaded: the coordinator responded with ${response.status}.`);
      this.#headers.set(segment.header, await response.arrayBuffer());
    }
    return this.#headers.get(segment.header);
  }

  /** Appends bytes. Returns whether there was room for them; if not, less is loaded ahead from then on. */
  async #append(bytes) {
    for (const kept of [2, undefined]) {
      try {
        await this.#whenDone(() => this.#buffer.appendBuffer(bytes));
        return true;
      } catch (error) {
        if (error.name !== "QuotaExceededError") throw error;
        if (kept !== undefined) await this.#evict(kept);
      }
    }
    this.#ahead = Math.max(2, this.#ahead / 2);
    return false;
  }

  /** Removes what was played long ago. */
  async #evict(kept = behind) {
    const limit = this.#video.currentTime - kept, first = this.#buffer.buffered.length > 0 && this.#buffer.buffered.start(0);
    if (first === false || limit - first < kept) return;
    // Whole segments, because removing a part of a group removes all of it.
    const oldest = this.#at(limit), end = this.list.segments[oldest].start;
    if (end <= first) return;
    this.#first = Math.max(this.#first, oldest);
    await this.#whenDone(() => this.#buffer.remove(0, end));
  }

  /** Starts an operation of the buffer, and waits for its end. */
  #whenDone(operate) {
    return new Promise((resolve, reject) => {
      const buffer = this.#buffer;
      const done = (event) => {
        buffer.removeEventListener("updateend", done);
        buffer.removeEventListener("error", failed);
        event && resolve();
      };
      const failed = () => {
        done();
        reject(new Error("The browser could not decode a fragment of the recording."));
      };
      buffer.addEventListener("updateend", done);
      buffer.addEventListener("error", failed);
      try {
        operate();
      } catch (error) {
        done();
        reject(error);
      }
    });
  }

  #seek = () => {
    const wanted = this.#at(this.#video.currentTime);
    // A segment that is loaded, or is being loaded, is not loaded again. Otherwise, seeking repeatedly on a slow host
    // would restart loading again and again. Browsers may remove what was loaded.
    const isThere = wanted === this.#next || (wanted >= this.#first && wanted < this.#next && this.#holds(wanted));
    if (isThere) {
      this.#jump();
    } else {
      this.#mustClear = true;
      this.#first = this.#next = wanted;
    }
    this.#wake();
  };

  /** Skips a gap in the recording, where the browser would wait. */
  #jump = () => {
    const { buffered, currentTime } = this.#video;
    if (this.#mustClear || this.#loadedUntil !== undefined) return;
    for (let index = 0; index < buffered.length; index++) {
      const start = buffered.start(index);
      if (start > currentTime) {
        this.#video.currentTime = start + 0.01;
        return;
      }
    }
  };
}

/** The browser cannot play a recording at all. */
class Unplayable extends Error {}
