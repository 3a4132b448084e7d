// Plays something that grows: appends its segments to a video element as they arrive (Media Source Extensions).
import { codecsOf } from "./codecs.js";

/** How much is loaded ahead of the playhead, and kept behind it, in seconds. */
const ahead = 30, behind = 30;
/** Milliseconds between requests for a list that grows, between steps of the player, and after a problem. */
const refresh = 1000, step = 250, pauseAfterProblem = 2000;
/** How far behind the end the playhead stays while it follows a recording, in seconds. */
const distance = 2;

/**
 * The segments of a film: `{tracks, end, hasEnded}`, and if it is known, its `duration`. Times are seconds. A track is an
 * array of segments, to which segments are only appended: `{url, header, start, end, part, offset}`, where `offset` is
 * what is added to the times in the segment. `isMissing` says that a segment cannot be loaded yet, and `isInner` that it
 * can be decoded only after the one before it.
 */
const nothing = { tracks: [], end: 0, hasEnded: false };

export class StreamPlayer {
  /** The segments as they were last read. */
  list = nothing;
  #video;
  #source;
  #read;
  #longestJump;
  #listener;
  #media;
  #tracks = [];
  #headers = new Map();
  #readAt = -Infinity;
  #isClosed = false;
  #wake = () => {};

  /**
   * Starts to play. `read()` is a function that returns the list of segments, and `what` names the film in messages.
   * `onChange()` is called when the list has changed, and `onChange(problem)` with a message if something fails. `start`
   * is the time to start at; if it is `undefined`, that is the start of a list that has ended or whose duration is known,
   * and otherwise the end. Gaps of at most `longestJump` seconds are skipped.
   */
  constructor(video, read, what, onChange, { start, longestJump = Infinity } = {}) {
    this.#video = video;
    this.#read = read;
    this.what = what;
    this.#listener = onChange;
    this.#longestJump = longestJump;
    video.addEventListener("seeking", this.#seek);
    video.addEventListener("waiting", this.#jump);
    this.#run(start);
  }

  /** Whether the playhead is at the end of the list, or a few seconds before it. */
  get isAtEnd() {
    return this.list.end - this.#video.currentTime < distance + 3;
  }

  /** Whether the segment at the playhead cannot be loaded yet. */
  get isMissing() {
    return this.#tracks.some((track) => track.segments[track.at(this.#video.currentTime)]?.isMissing);
  }

  /** Moves the playhead to the end of the list. */
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
        if (this.#media && this.#video.error) throw new Unplayable(`The browser could not decode ${this.what}.`);
        await this.#update();
        const count = this.list.tracks.length;
        // A browser cannot add a track to what it plays.
        if (count > this.#tracks.length && this.list.tracks.every((track) => track.some((each) => !each.isMissing))) {
          await this.#begin(this.#media ? this.#video.currentTime : start);
        }
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

  /** Reads the list, unless it has ended or was read a moment ago. */
  async #update() {
    if (this.list.hasEnded || performance.now() - this.#readAt < refresh) return;
    this.#readAt = performance.now();
    const list = await this.#read(), before = this.list;
    this.list = list;
    for (const [number, track] of this.#tracks.entries()) track.segments = list.tracks[number];
    if (list.end === before.end && list.hasEnded === before.hasEnded && list.tracks.length === before.tracks.length) return;
    this.#setDuration();
    this.#listener();
  }

  /** Loads the list's tracks from a time on. */
  async #begin(start) {
    const isPlaying = this.#media && !this.#video.paused && !this.#video.ended;
    const media = new MediaSource();
    const tracks = this.list.tracks.map((segments) => new Track(segments, this.#video, media, this.what, this.header));
    const types = await Promise.all(tracks.map((track) => track.type()));
    if (this.#isClosed) return;
    this.#tracks = [];
    URL.revokeObjectURL(this.#video.src);
    this.#video.src = URL.createObjectURL(media);
    await new Promise((done) => media.addEventListener("sourceopen", done, { once: true }));
    for (const [number, track] of tracks.entries()) track.buffer = media.addSourceBuffer(types[number]);
    this.#media = media;
    this.#tracks = tracks;
    this.#setDuration();
    const fromStart = this.list.hasEnded || this.list.duration !== undefined;
    const time = start ?? (fromStart ? 0 : Math.max(0, this.list.end - distance));
    for (const track of tracks) track.begin(time);
    if (time > 0) this.#video.currentTime = time;
    if (isPlaying) this.#video.play().catch(() => {});
  }

  #setDuration() {
    const end = this.list.duration ?? this.list.end;
    if (
      this.#media?.readyState === "open" && this.#tracks.every((track) => !track.buffer.updating) &&
      end > (this.#media.duration || 0)
    ) {
      this.#media.duration = end;
    }
  }

  /** Loads another segment if the playhead needs it. Returns whether it did. */
  async #load() {
    if (this.#tracks.length === 0) return false;
    const loads = await Promise.allSettled(this.#tracks.map((track) => track.load(this.#listener)));
    if (this.#isClosed) return false;
    const failed = loads.find((each) => each.reason);
    if (failed) throw failed.reason;
    if (loads.some((each) => each.value)) {
      this.#setDuration();
      if (this.#video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) this.#jump();
      return true;
    }
    if (
      this.list.hasEnded && this.#media.readyState === "open" &&
      this.#tracks.every((track) => track.isComplete && !track.buffer.updating)
    ) {
      this.#media.endOfStream();
    }
    return false;
  }

  /** The header of a segment. */
  header = async (segment) => {
    if (!this.#headers.has(segment.header)) {
      const response = await fetch(segment.header);
      if (!response.ok) throw new Error(`${capitalized(this.what)} cannot be loaded: ${await reason(response)}`);
      this.#headers.set(segment.header, await response.arrayBuffer());
    }
    return this.#headers.get(segment.header);
  };

  #seek = () => {
    let isThere = true;
    for (const track of this.#tracks) isThere = track.seek(this.#video.currentTime) && isThere;
    if (isThere) this.#jump();
    this.#wake();
  };

  /** Skips a gap, where the browser would wait. */
  #jump = () => {
    const { buffered, currentTime } = this.#video;
    if (this.#tracks.some((track) => track.mustClear)) return;
    for (let index = 0; index < buffered.length; index++) {
      if (buffered.start(index) <= currentTime + 0.1 && buffered.end(index) > currentTime) return;
    }
    for (let index = 0; index < buffered.length; index++) {
      const start = buffered.start(index);
      if (start > currentTime) {
        if (start - currentTime <= this.#longestJump) this.#video.currentTime = start + 0.01;
        return;
      }
    }
  };
}

/** What is loaded of one track. */
class Track {
  segments;
  buffer;
  /** Whether the playhead has moved out of the segments that are loaded. */
  mustClear = false;
  #video;
  #media;
  #what;
  #header;
  #appended = {};
  /** The number of the segment to load next. The segments from `#first` on are loaded, in one piece. */
  #first = 0;
  #next = 0;
  #ahead = ahead;

  constructor(segments, video, media, what, header) {
    this.segments = segments;
    this.#video = video;
    this.#media = media;
    this.#what = what;
    this.#header = header;
  }

  /** The type of the track's bytes, which the browser supports. */
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

  /** Whether the browser holds something of a segment. */
  #holds(number) {
    const { buffered } = this.buffer, segment = this.segments[number];
    for (let index = 0; index < buffered.length; index++) {
      if (segment && buffered.start(index) < segment.end && buffered.end(index) > segment.start) return true;
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
      (wanted >= this.#first && wanted < this.#next && this.#holds(wanted));
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
      const problem = `A part of ${this.#what} cannot be loaded: ${await reason(response)}`;
      if (response.status !== 500) throw new Error(problem);
      // The segment is damaged on disk. The others can be played.
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
    if (!await this.#append(bytes)) return false;
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

const capitalized = (text) => text[0].toUpperCase() + text.slice(1);

/** Why a request was refused. */
const reason = async (response) =>
  (await response.json().catch(() => ({}))).detail ?? `the coordinator responded with ${response.status}.`;

/** The browser cannot play a film at all. */
class Unplayable extends Error {}
