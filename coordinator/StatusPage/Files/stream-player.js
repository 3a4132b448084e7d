// Plays something that grows: appends its segments to a video element as they arrive (Media Source Extensions).
import { reasonOf, Track, Unplayable } from "./stream-track.js";

/** Milliseconds between requests for a list that grows, between steps of the player, and after a problem. */
const refresh = 1000, step = 250, pauseAfterProblem = 2000;
/** The number of segments from which on a list is read less often. */
const longList = 2000;
/** How far behind the end the playhead stays while it follows a recording, in seconds. */
const distance = 2;

/**
 * What can be played: `{tracks, end, hasEnded}`, and `duration` if it is known. Times are seconds. A track is an array of
 * media segments (fragments or pieces, not segments of a job): `{url, header, start, end, part, offset}`, where `offset` is
 * added to the times in the segment. It only grows, unless `revision` changes. `isMissing` says that a segment cannot be
 * loaded yet, and `isInner` that it can be decoded only after the one before it.
 */
const nothing = { tracks: [], end: 0, hasEnded: false };

export class StreamPlayer {
  /** The segments as they were last read. */
  list = nothing;
  #video;
  #read;
  #longestJump;
  #listener;
  #media;
  #tracks = [];
  #headers = new Map();
  /** The revision of the list that is played. */
  #revision;
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

  /** Whether everything in the list has been played. */
  get hasPlayedAll() {
    return this.list.end > 0 && this.list.end - this.#video.currentTime < 0.3;
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
        await this.#update();
        // Another revision begins with another header, so the browser may be able to decode it.
        if (this.#media && this.#video.error && this.list.revision === this.#revision) {
          throw new Unplayable(`The browser could not decode ${this.what}.`);
        }
        // Browsers cannot add a track during playback, so this starts again with all tracks.
        const isNew = this.list.revision !== this.#revision;
        const wanted = this.#onlyFirst && !isNew ? this.list.tracks.slice(0, 1) : this.list.tracks;
        if (
          (wanted.length > this.#tracks.length || isNew) &&
          wanted.every((track) => track.some((each) => !each.isMissing))
        ) {
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
    const media = new MediaSource(), { revision } = this.list;
    if (revision !== this.#revision) {
      this.#headers.clear();
      [this.#onlyFirst, this.#note] = [false, undefined];
    }
    let tracks = wanted.map((segments) => new Track(segments, this.#video, media, this.what, this.header));
    const types = await Promise.allSettled(tracks.map((track) => track.type()));
    if (this.#isClosed) return start;
    const [first, ...others] = types, failed = others.find((each) => each.reason);
    if (first.reason) throw first.reason;
    if (failed && !(failed.reason instanceof Unplayable)) throw failed.reason;
    if (failed) {
      [this.#onlyFirst, this.#note] = [true, `There is no sound: ${failed.reason.message}`];
      this.#listener(this.#note);
      if (this.#media && revision === this.#revision) return start;
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
    this.#revision = revision;
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
        const message = `${capitalized(this.what)} cannot be loaded: ${await reasonOf(response)}`;
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

const capitalized = (text) => text[0].toUpperCase() + text.slice(1);
