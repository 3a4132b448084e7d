// The list of recordings, and the view of one: its facts, and a player that follows it.
import { call, get } from "./api.js";
import { button, fill, h, icon, keyed, setText } from "./dom.js";
import { playlistReader } from "./playlist.js";
import { address, go, route, setQuery } from "./router.js";
import { emptyState, loading, wholeState } from "./state.js";
import { may } from "./store.js";
import { StreamPlayer } from "./stream-player.js";
import { ask, attempt, say } from "./talk.js";
import { bytes, plural, printableLines } from "./text.js";
import { clockOf, duration, moment } from "./time.js";

/** The interval between two requests for the state of recordings, in milliseconds. */
const interval = 2000;
const icons = {
  preparing: "queued",
  recording: "recording",
  finishing: "assembling",
  finished: "completed",
  failed: "failed",
};
const isFinal = (recording) => ["finished", "failed"].includes(recording.state);

const stateLabel = (recording) =>
  h("span", { class: `state-label ${recording.state}` }, icon(icons[recording.state]), recording.state);

/** Seconds as a number, from an exact time that may be a fraction such as "90001/90000". */
const seconds = (time) => {
  const [number, divisor = 1] = String(time).split("/").map(Number);
  return number / divisor;
};

/** Calls a function repeatedly until it is stopped, less often while the page is hidden. */
const repeat = (work) => {
  let timer, isStopped = false;
  const again = async () => {
    clearTimeout(timer);
    await work();
    if (!isStopped) timer = setTimeout(again, document.hidden ? 10 * interval : interval);
  };
  again();
  return {
    now: again,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
};

export const recordingsView = () => {
  const list = h("ul", { class: "cards" }), state = h("div", {}, loading());
  const node = h("div", { class: "page" }, h("h1", {}, "Recordings"), state, list);
  const cards = keyed((recording) => {
    const label = h("div"), facts = h("p", { class: "muted small number" });
    const name = h("a", { class: "name", href: address("recordings", recording.id), dir: "auto" }, recording.name);
    const card = h(
      "li",
      { class: "card recording-card" },
      h("div", { class: "line" }, h("h2", {}, name), h("p", { class: "muted small" }, recording.source)),
      label,
      facts,
    );
    return {
      node: card,
      update(next) {
        fill(label, stateLabel(next));
        setText(
          facts,
          [clockOf(seconds(next.duration)), bytes(next.byteCount), moment(next.createdAt), next.submitter]
            .filter(Boolean).join(" · "),
        );
      },
    };
  });
  const polling = repeat(async () => {
    try {
      const all = await get("/recordings");
      cards.show(list, all);
      fill(
        state,
        all.length === 0 &&
          emptyState(
            "recording",
            "No recordings yet",
            "Run “sheaf record SOURCE”, such as “sheaf record udp://239.1.2.3:5000”. The operator must allow the source.",
          ),
      );
    } catch (problem) {
      if (list.children.length > 0) return;
      fill(state, emptyState("failed", "The recordings could not be loaded", problem.detail));
    }
  });
  return { node, leave: polling.stop };
};

export const recordingView = (id) => {
  const node = h("div", { class: "page" }, loading());
  let recording, player, parts, hasLeft = false;

  const make = () => {
    const video = h("video", { controls: true, playsinline: true, "aria-label": `Recording ${recording.name}` });
    // Browsers start to play without a click only if the sound is off.
    video.muted = true;
    const label = h("div"), facts = h("dl", { class: "facts" }), trouble = h("div"), actions = h("div", { class: "actions" });
    const note = h("p", { class: "muted small", role: "status" });
    const live = button("Follow", () => player.follow(), { hidden: true });
    parts = { video, label, facts, trouble, actions, note, live };
    fill(
      node,
      h(
        "div",
        { class: "job-title" },
        h("h1", { dir: "auto" }, recording.name),
        label,
        actions,
      ),
      trouble,
      h("div", { class: "card recording-player" }, video, h("div", { class: "card-bottom" }, note, live)),
      h("section", { class: "card recording-facts" }, facts),
    );
    const asked = parseFloat(route().query.get("t") ?? "");
    const playlist = `/api/v1/recordings/${encodeURIComponent(id)}/stream.m3u8`;
    if (!("MediaSource" in window)) {
      // A browser without Media Source Extensions plays the playlist itself.
      video.src = playlist;
      return;
    }
    player = new StreamPlayer(
      video,
      playlistReader(playlist),
      "the recording",
      (problem) => {
        if (problem) setText(note, problem);
        else showPlayer();
      },
      { start: Number.isFinite(asked) ? asked : undefined },
    );
    video.addEventListener("canplay", () => video.play().catch(() => {}), { once: true });
    video.addEventListener("timeupdate", showPlayer);
    addEventListener("pagehide", keepTime);
  };
  /** Keeps the position for a reload of the page, unless the playhead follows the recording. */
  const keepTime = () => {
    if (!player) return;
    const follows = !player.list.hasEnded && player.isAtEnd;
    setQuery({ t: follows || parts.video.currentTime === 0 ? "" : parts.video.currentTime.toFixed(1) });
  };
  const showPlayer = () => {
    const { list } = player, time = parts.video.currentTime;
    parts.live.hidden = list.hasEnded || player.isAtEnd;
    setText(
      parts.note,
      list.tracks.length === 0
        ? "Nothing has been recorded yet."
        : list.hasEnded
        ? `${clockOf(time)} of ${clockOf(list.end)}`
        : player.isAtEnd
        ? `${clockOf(time)}, live`
        : `${clockOf(time)}, ${duration(list.end - time)} behind`,
    );
  };
  const show = () => {
    fill(parts.label, stateLabel(recording));
    fill(
      parts.facts,
      [
        ["source", recording.source],
        ["duration", clockOf(seconds(recording.duration))],
        ["size", bytes(recording.byteCount)],
        ["parts", String(recording.parts.length)],
        ["gaps", String(recording.gaps.length)],
        ["formats", formats(recording)],
        ["started", moment(recording.createdAt)],
        recording.endedAt && ["ended", moment(recording.endedAt)],
        recording.submitter && ["submitter", recording.submitter],
        recording.ignored.length > 0 && ["not recorded", recording.ignored.join("; ")],
      ].filter(Boolean).map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", { dir: "auto" }, value))),
    );
    fill(
      parts.trouble,
      recording.failure &&
        h(
          "div",
          { class: "card notice bad", role: "group", "aria-label": "Failure" },
          icon("failed"),
          h("p", {}, printableLines(recording.failure.message)),
        ),
    );
    const key = JSON.stringify([recording.state, recording.outputs]);
    if (parts.actions.dataset.key === key) return;
    parts.actions.dataset.key = key;
    fill(
      parts.actions,
      recording.outputs.map((file, number) =>
        h(
          "a",
          {
            class: "button primary",
            href: `/api/v1/recordings/${encodeURIComponent(id)}/outputs/${number}`,
            download: file.fileName,
          },
          recording.outputs.length > 1 ? `Download ${file.fileName}` : "Download",
        )
      ),
      may("submit") && !isFinal(recording) && recording.state !== "finishing" && button("Stop", stop),
      may("submit") && isFinal(recording) && button("Delete", remove),
    );
  };
  const stop = async () => {
    if (!await ask("Stop recording?", "Its file will contain everything that was recorded until now.", "Stop recording")) return;
    await attempt("Could not stop the recording", async () => {
      recording = await call("POST", `/api/v1/recordings/${encodeURIComponent(id)}/stop`);
      show();
    });
  };
  const remove = async () => {
    if (!await ask(`Delete ${recording.name}?`, "Its files are deleted too. This cannot be undone.", "Delete")) return;
    await attempt("Could not delete the recording", async () => {
      await call("DELETE", `/api/v1/recordings/${encodeURIComponent(id)}`);
      say(`Deleted ${recording.name}.`);
      go("#/recordings");
    });
  };
  const polling = repeat(async () => {
    if (recording && isFinal(recording)) return;
    try {
      recording = await get(`/recordings/${encodeURIComponent(id)}`);
      if (hasLeft) return;
      if (!parts) make();
      show();
    } catch (problem) {
      if (parts) return;
      fill(
        node,
        wholeState(
          "failed",
          problem.status === 404 ? "There is no such recording" : "The recording could not be loaded",
          problem.detail,
          h("a", { class: "button", href: "#/recordings" }, "All recordings"),
        ),
      );
    }
  });
  return {
    node,
    title: () => recording?.name,
    leave() {
      hasLeft = true;
      polling.stop();
      removeEventListener("pagehide", keepTime);
      player?.close();
    },
  };
};

/** The formats of the last part, such as "h264 1920×1080; aac 48000 Hz, 2 channels". */
const formats = (recording) =>
  (recording.parts.at(-1)?.tracks ?? []).map((track) =>
    track.kind === "video"
      ? `${track.codec} ${track.width}×${track.height}`
      : `${track.codec} ${track.sampleRate} Hz, ${plural(track.channels, "channel")}`
  ).join("; ") || "–";
