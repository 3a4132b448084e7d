// Plays something that grows: appends its segments to a video element as they arrive (Media Source Extensions).
import { codecsOf } from "./codecs.js";

/** How much is loaded ahead of the playhead, and kept behind it, in seconds. */
const ahead = 30, behind = 30;
/** Milliseconds between requests for a list that grows, between steps of the player, and after a problem. */
const refresh = 1000, step = 250, pauseAfterProblem = 2000;
/** The number of segments from which on a list is read less often. */
const longList = 2000;
/** How far from what the browser holds a position may be to count as loaded, in seconds. */
const tolerance = 0.5;
/** How far behind the end the playhead stays while it follows a recording, in seconds. */
const distance = 2;

/**
 * What can be played: `{tracks, end, hasEnded}`, and `duration` if it is known. Times are seconds. A track is an array of
 * media segments (fragments or pieces, not segments of a job), which only grows: `{url, header, start, end, part, offset}`, where `offset` is
 * added to the times in the segment. `isMissing` says that a segment cannot be loaded yet, and `isInner` that it can be
 * decoded only after the one before it.
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
  /** Whether only the first track is played, because the others cannot be. The reason is in `#note`. */
  #onlyFirst = false;
  #note;
  #wake = () => {};

  /**
   * Starts to play. `read()` returns the list, and `what` names the film in messages. `onChange()` is called when the
   * list's end, `hasEnded` or number of tracks changes, and when a problem is over. `onChange(problem)` is called with a
   * message if something fails. Playback starts at `start`. By default, it starts at the beginning if the list has ended or
   * its duration is known, and near the end otherwise. Gaps of at most `longestJump` seconds are skipped.
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
        // Browsers cannot add a track during playback, so this starts again with all tracks.
        const wanted = this.#onlyFirst ? this.list.tracks.slice(0, 1) : this.list.tracks;
        if (wanted.length > this.#tracks.length && wanted.every((track) => track.some((each) => !each.isMissing))) {
          start = await this.#begin(wanted, start);
        }
        while (!this.#isClosed && await this.#load());
        if (problem) this.#listener(this.#note);
        problem = undefined;
      } catch (error) {
        if (this.#isClosed) return;
        problem = error.message;
        this.#listener(problem);
        if (error instanceof Unplayable && this.#tracks.length === 0) return;
      }
      await new Promise((again) => {
        this.#wake = again;
        setTimeout(again, problem ? pauseAfterProblem : step);
      });
    }
  }

  /** Reads the list, unless it has ended or was read a moment ago. */
  async #update() {
    const count = this.list.tracks[0]?.length ?? 0;
    if (this.list.hasEnded || performance.now() - this.#readAt < refresh * Math.max(1, count / longList)) return;
    this.#readAt = performance.now();
    const list = await this.#read(), before = this.list;
    this.list = list;
    // A track may disappear for a while, and another one may take its place after a restart.
    for (const [number, track] of this.#tracks.entries()) track.segments = list.tracks[number] ?? track.segments;
    if (list.end === before.end && list.hasEnded === before.hasEnded && list.tracks.length === before.tracks.length) return;
    this.#setDuration();
    this.#listener();
  }

  /** Plays tracks from the current position on; at first, from `start`. Returns where to start after a failure. */
  async #begin(wanted, start) {
    const media = new MediaSource();
    let tracks = wanted.map((segments) => new Track(segments, this.#video, media, this.what, this.header));
    const types = await Promise.allSettled(tracks.map((track) => track.type()));
    if (this.#isClosed) return start;
    const [first, ...others] = types, failed = others.find((each) => each.reason);
    if (first.reason) throw first.reason;
    if (failed && !(failed.reason instanceof Unplayable)) throw failed.reason;
    if (failed) {
      [this.#onlyFirst, this.#note] = [true, `There is no sound: ${failed.reason.message}`];
      this.#listener(this.#note);
      if (this.#media) return start;
      tracks = tracks.slice(0, 1);
    }
    const isPlaying = this.#media && !this.#video.paused && !this.#video.ended, { playbackRate } = this.#video;
    const fromStart = this.list.hasEnded || this.list.duration !== undefined;
    const time = (this.#media && this.#tracks.length > 0 ? this.#video.currentTime : start) ??
      (fromStart ? 0 : Math.max(0, this.list.end - distance));
    this.#tracks = [];
    this.#media = media;
    URL.revokeObjectURL(this.#video.src);
    this.#video.src = URL.createObjectURL(media);
    await new Promise((done) => media.addEventListener("sourceopen", done, { once: true }));
    try {
      for (const [number, track] of tracks.entries()) track.buffer = media.addSourceBuffer(types[number].value);
    } catch {
      return time;
    }
    this.#tracks = tracks;
    this.#setDuration();
    for (const track of tracks) track.begin(time);
    if (time > 0) this.#video.currentTime = time;
    this.#video.playbackRate = playbackRate;
    if (isPlaying) this.#video.play().catch(() => {});
    return time;
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
      if (!response.ok) {
        const message = `${capitalized(this.what)} cannot be loaded: ${await reason(response)}`;
        // The coordinator answers 409 if it can never be played.
        throw response.status === 409 ? new Unplayable(message) : new Error(message);
      }
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

  /** Skips a short gap that would stall the browser. */
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

/** One track and its loaded range. */
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
      const problem = `A part of ${this.#what} cannot be loaded: ${await reason(response)}`;
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

const capitalized = (text) => text[0].toUpperCase() + text.slice(1);

/** Why a request was refused. */
const reason = async (response) =>
  (await response.json().catch(() => ({}))).detail ?? `the coordinator responded with ${response.status}.`;

/** The browser cannot play a film at all. */
class Unplayable extends Error {}
