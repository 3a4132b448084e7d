// One track of the player: what is loaded of it, and what has to be.
import { codecsOf } from "./codecs.js";

/** How much is loaded ahead of the playhead, and kept behind it, in seconds. */
const ahead = 30, behind = 30;
/** How far from what the browser holds a position may be to count as loaded, in seconds. */
const tolerance = 0.5;

/** One track and its loaded range. */
export class Track {
  segments;
  buffer;
  /** Whether the playhead has moved out of the segments that are loaded. */
  mustClear = false;
  #video;
  #media;
  #what;
  #header;
  #appended = {};
  /** The first segment of the loaded range, which has no gaps. */
  #first = 0;
  /** The segment to load next: the end of the loaded range. */
  #next = 0;
  #ahead = ahead;

  constructor(segments, video, media, what, header) {
    this.segments = segments;
    this.#video = video;
    this.#media = media;
    this.#what = what;
    this.#header = header;
  }

  /** Returns the track's MIME type. Throws if the browser does not support it. */
  async type() {
    const codecs = codecsOf(await this.#header(this.segments.find((each) => !each.isMissing)));
    return this.#supported(codecs);
  }

  #supported(codecs) {
    const type = `video/mp4; codecs="${codecs.join(",")}"`;
    if (!MediaSource.isTypeSupported(type)) throw new Unplayable(`This browser cannot play ${codecs.join(" and ")}.`);
    return type;
  }

  /** Whether the last segment is loaded. */
  get isComplete() {
    return this.#next >= this.segments.length;
  }

  /** Loads from a time on. */
  begin(time) {
    this.#first = this.#next = this.#startOf(this.at(time));
  }

  /** The number of the segment that is shown at a time; of the last one at the end and after it. */
  at(time) {
    const found = this.segments.findIndex((each) => each.end > time + 1e-3);
    return found < 0 ? Math.max(0, this.segments.length - 1) : found;
  }

  /** The number of the segment at which decoding starts in order to show a segment. */
  #startOf(number) {
    while (number > 0 && this.segments[number].isInner) number -= 1;
    return number;
  }

  /** Whether the browser holds a time, or almost. It may have removed a part of a segment. */
  #holds(time) {
    const { buffered } = this.buffer;
    for (let index = 0; index < buffered.length; index++) {
      if (buffered.start(index) - tolerance < time && buffered.end(index) + tolerance > time) return true;
    }
    return false;
  }

  /** Prepares for a new position of the playhead. Returns whether it is loaded, or is being loaded. */
  seek(time) {
    const wanted = this.at(time);
    // A segment that is loaded, or is being loaded, is not loaded again. Otherwise, seeking repeatedly on a slow host
    // would restart loading again and again. Browsers may remove what was loaded.
    const start = this.#startOf(wanted);
    const isThere = (this.#first <= start && this.#next >= start && this.#next <= wanted) ||
      (wanted >= this.#first && wanted < this.#next && this.#holds(time));
    if (isThere) return true;
    this.mustClear = true;
    this.#first = this.#next = start;
    return false;
  }

  /** Loads another segment if the playhead needs it. Returns whether it did. */
  async load(onProblem) {
    const number = this.#next, segment = this.segments[number];
    if (!segment) {
      this.mustClear = false;
      return false;
    }
    if (segment.isMissing || segment.start - this.#video.currentTime > this.#ahead) return false;
    const [header, response] = await Promise.all([this.#header(segment), fetch(segment.url)]);
    if (!response.ok) {
      const problem = `A part of ${this.#what} cannot be loaded: ${await reasonOf(response)}`;
      if (response.status !== 500) throw new Error(problem);
      // The segment is damaged on disk. Skip it, and play the rest.
      onProblem(problem);
      if (number === this.#next) this.#next += 1;
      return true;
    }
    const bytes = await response.arrayBuffer();
    // The user may have moved the playhead meanwhile, and the player may have been closed.
    if (this.#media.readyState === "closed") return false;
    if (number !== this.#next) return true;
    if (this.mustClear) {
      this.mustClear = false;
      if (this.#media.readyState === "open") this.buffer.abort();
      await this.#whenDone(() => this.buffer.remove(0, Infinity));
      this.#appended = {};
    }
    if (this.#appended.part !== segment.part || this.#appended.number !== number - 1) {
      if (this.#media.readyState === "open") this.buffer.abort();
      this.buffer.changeType(this.#supported(codecsOf(header)));
      this.buffer.timestampOffset = segment.offset;
      await this.#append(header);
    }
    // A part of a track may be empty.
    if (bytes.byteLength > 0 && !await this.#append(bytes)) return false;
    this.#appended = { part: segment.part, number };
    // If the playhead has left meanwhile, everything is loaded anew, even if it came back to this segment.
    if (number === this.#next && !this.mustClear) this.#next += 1;
    await this.#evict();
    return true;
  }

  /** Appends bytes. Returns whether there was room for them; if not, less is loaded ahead from then on. */
  async #append(bytes) {
    for (const kept of [2, undefined]) {
      try {
        await this.#whenDone(() => this.buffer.appendBuffer(bytes));
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
    const limit = this.#video.currentTime - kept, first = this.buffer.buffered.length > 0 && this.buffer.buffered.start(0);
    if (first === false || limit - first < kept) return;
    // Whole segments, because removing a part of a group removes all of it.
    const oldest = this.#startOf(this.at(limit)), end = this.segments[oldest].start;
    if (end <= first) return;
    this.#first = Math.max(this.#first, oldest);
    await this.#whenDone(() => this.buffer.remove(0, end));
  }

  /** Starts an operation of the buffer, and waits for its end. */
  #whenDone(operate) {
    return new Promise((resolve, reject) => {
      const buffer = this.buffer;
      const done = (event) => {
        buffer.removeEventListener("updateend", done);
        buffer.removeEventListener("error", failed);
        event && resolve();
      };
      const failed = () => {
        done();
        reject(new Error(`The browser could not decode a part of ${this.#what}.`));
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
}

/** Why a request was refused. */
export const reasonOf = async (response) =>
  (await response.json().catch(() => ({}))).detail ?? `the coordinator responded with ${response.status}.`;

/** The browser cannot play a film at all. */
export class Unplayable extends Error {}
