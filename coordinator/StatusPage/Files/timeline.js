// A job as a timeline: tracks, transitions, titles and sound as the editor knows them, and the segments on the same scale.
import { palette } from "./colors.js";
import { button, fill, h, icon, setText } from "./dom.js";
import { canvasOf, drawRuns, legend, letterOf, runsOf, states } from "./strip.js";
import { percent, printable } from "./text.js";
import { rulerLabel, timecode } from "./time.js";

const steps = [0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 14400];
const mostZoom = 400;

/** The timeline of a job. `pick(index)` is called when the user chooses a segment. */
export const timeline = (pick) => {
  let job, segments = [], documentOf, peaks, zoom = 1, selected, hovered;
  const ruler = h("div", { class: "ruler", "aria-hidden": "true" }), tracks = h("div", { class: "tracks" });
  const films = h("div", { class: "film", hidden: true }), cursor = h("div", { class: "cursor", hidden: true });
  const playhead = h("div", { class: "playhead", hidden: true });
  const wide = h("div", { class: "timeline-wide" }, ruler, tracks, playhead);
  const scroller = h("div", { class: "timeline-scroll", tabindex: -1 }, wide);
  const hint = h("p", { class: "muted small hint", dir: "auto" });

  const frames = () => job?.frameCount ?? 1;
  const length = () => frames() * (job?.frameDuration ?? 1);
  /** The part of the output in view, in frames. */
  const range = () => {
    const all = scroller.scrollWidth || 1, from = scroller.scrollLeft / all * frames();
    return { from, to: from + (scroller.clientWidth || 1) / all * frames() };
  };
  const runs = () =>
    segments.length > 0
      ? segments.map((segment) => ({
        letter: letterOf(segment),
        first: segment.first,
        end: segment.end,
        index: segment.index,
        progress: segment.framesRendered / Math.max(1, segment.end - segment.first),
      }))
      : job
      ? runsOf(job)
      : [];
  let shownRuns = [];

  const wave = canvasOf("wave", (context, { width, height, scale }) => {
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    if (!peaks) return;
    context.fillStyle = palette().reused;
    const { from, to } = range(), perPeak = peaks.samplesPerPoint / peaks.sampleRate / (job.frameDuration ?? 1);
    const columns = Math.floor(width / 3);
    for (let column = 0; column < columns; column++) {
      const first = Math.floor((from + (to - from) * column / columns) / perPeak),
        end = Math.max(first + 1, Math.floor((from + (to - from) * (column + 1) / columns) / perPeak));
      let peak = 0;
      for (let index = first; index < end && index < peaks.peaks.length; index++) {
        peak = Math.max(peak, peaks.peaks[index]);
      }
      const bar = Math.max(1, peak / 255 * height);
      context.fillRect(column * 3, (height - bar) / 2, 2, bar);
    }
  });
  wave.node.hidden = true;
  wave.node.setAttribute("role", "img");
  wave.node.setAttribute("aria-label", "Waveform of the mixed sound");

  const bar = canvasOf("strip tall", (context, size) => {
    drawRuns(context, shownRuns, {
      ...size,
      ...range(),
      selected: shownRuns.find((run) => run.index !== undefined && run.index === selected),
    });
  });
  const strip = bar.node;
  Object.entries({
    role: "slider",
    tabindex: 0,
    "aria-label": "Segments. Arrow keys move between them, Enter shows one.",
    "aria-valuemin": 0,
  })
    .forEach(([name, value]) => strip.setAttribute(name, value));

  const segmentAt = (event) => {
    const { from, to } = range(), frame = from + event.offsetX / strip.clientWidth * (to - from);
    return segments.find((segment) => frame >= segment.first && frame < segment.end);
  };
  const words = (segment) => {
    const state = states[letterOf(segment)],
      part = state === "rendering" ? ` ${percent(segment.framesRendered, segment.end - segment.first)}` : "";
    return `Segment ${segment.index} · ${timecode(segment.first, job.frameDuration)} to ${
      timecode(segment.end, job.frameDuration)
    } · ${state}${part}` +
      (segment.worker ? ` · ${segment.worker}` : "");
  };
  const label = () => {
    const segment = segments[selected ?? hovered ?? 0];
    strip.setAttribute("aria-valuemax", Math.max(0, segments.length - 1));
    strip.setAttribute("aria-valuenow", segment?.index ?? 0);
    strip.setAttribute("aria-valuetext", segment ? printable(words(segment)) : "no segments yet");
    setText(
      hint,
      hovered !== undefined && segments[hovered]
        ? words(segments[hovered])
        : segments.length > 0
        ? "Click a segment to see its attempts and log."
        : "",
    );
  };
  strip.addEventListener("pointermove", (event) => {
    hovered = segmentAt(event)?.index;
    showCursor(event);
    label();
  });
  strip.addEventListener("pointerleave", () => {
    hovered = undefined;
    cursor.hidden = true;
    label();
  });
  strip.addEventListener("click", (event) => {
    const segment = segmentAt(event);
    if (segment) pick(segment.index);
  });
  strip.addEventListener("keydown", (event) => {
    const place = selected ?? -1, last = segments.length - 1;
    const next = {
      ArrowRight: place + 1,
      ArrowLeft: place - 1,
      PageDown: place + 10,
      PageUp: place - 10,
      Home: 0,
      End: last,
    }[event.key];
    if (event.key === "+" || event.key === "-") {
      zoomBy(event.key === "+" ? 2 : 0.5);
      return;
    }
    if (event.key === "Enter" && selected !== undefined) document.getElementById("segment")?.focus();
    if (next === undefined || last < 0) return;
    event.preventDefault();
    pick(Math.max(0, Math.min(last, next)));
    reveal();
  });
  const showCursor = (event) => {
    cursor.hidden = false;
    cursor.style.transform = `translateX(${event.offsetX}px)`;
  };

  /** Scrolls to the chosen segment. */
  const reveal = () => {
    const segment = segments[selected];
    if (!segment) return;
    const { from, to } = range();
    if (segment.first < from || segment.end > to) {
      scroller.scrollLeft = (segment.first + segment.end) / 2 / frames() * scroller.scrollWidth -
        scroller.clientWidth / 2;
    }
  };
  const zoomBy = (factor, at = scroller.clientWidth / 2) => {
    const place = (scroller.scrollLeft + at) / scroller.scrollWidth;
    zoom = Math.max(1, Math.min(mostZoom, zoom * factor));
    wide.style.width = `${100 * zoom}%`;
    setText(scale, `${Math.round(zoom * 10) / 10}×`);
    [smaller.disabled, whole.disabled] = [zoom === 1, zoom === 1];
    larger.disabled = zoom === mostZoom;
    scroller.scrollLeft = place * scroller.scrollWidth - at;
    drawAll();
  };
  scroller.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoomBy(event.deltaY < 0 ? 1.25 : 0.8, event.clientX - scroller.getBoundingClientRect().left);
  }, { passive: false });
  scroller.addEventListener("scroll", () => drawAll(), { passive: true });
  const resized = new ResizeObserver(() => drawAll());
  resized.observe(scroller);

  const smaller = button(icon("minus"), () => zoomBy(0.5), {
    class: "quiet square",
    "aria-label": "Zoom out",
    disabled: true,
  });
  const larger = button(icon("plus"), () => zoomBy(2), { class: "quiet square", "aria-label": "Zoom in" });
  const whole = button("Fit", () => zoomBy(1 / zoom), { class: "quiet", disabled: true });
  const scale = h("span", { class: "number muted", "aria-live": "off" }, "1×");

  const drawRuler = () => {
    const { from, to } = range(), fd = job.frameDuration ?? 1, seconds = (to - from) * fd;
    const wanted = seconds / Math.max(2, Math.floor(scroller.clientWidth / 110));
    const step = steps.find((each) => each >= wanted) ?? steps.at(-1), marks = [];
    for (let index = Math.ceil(from * fd / step); index * step <= to * fd; index++) {
      const place = index * step / length();
      if (place > 0.999) break;
      const mark = h("span", {}, rulerLabel(index * step, step));
      mark.style.left = `${100 * place}%`;
      marks.push(mark);
    }
    fill(ruler, marks);
  };
  const drawAll = () => {
    if (!job?.frameDuration) return;
    drawRuler();
    wave.draw();
    bar.draw();
    showFilm();
  };

  /** Puts the tracks of the document in place. */
  const showTracks = () => {
    const all = length(),
      place = (node, start, end) => {
        node.style.left = `${100 * start / all}%`;
        node.style.width = `${100 * Math.max(0, end - start) / all}%`;
        return node;
      };
    let videos = 0;
    fill(
      tracks,
      documentOf?.tracks.filter((track) => track.kind !== "audio" || !peaks).map((track) => {
        const row = h(
          "ul",
          { class: `track ${track.kind}`, "aria-label": `${track.name ?? track.kind} track` },
          track.items.map((item) => {
            const made = place(
              h("li", {
                class: "item",
                dir: "auto",
                title: `${item.name} · ${
                  timecode(Math.round(item.start / job.frameDuration), job.frameDuration)
                } to ${timecode(Math.round(item.end / job.frameDuration), job.frameDuration)}`,
              }, h("span", {}, item.name)),
              item.start,
              item.end,
            );
            // The name begins after the transition into the item, not beneath it.
            const into = documentOf.transitions?.find((each) =>
              track.kind === "video" && each.start <= item.start + 1e-6 && each.end > item.start
            );
            if (into) made.style.paddingLeft = `${100 * (into.end - item.start) / all}%`;
            return made;
          }),
        );
        if (track.kind === "video") {
          videos++;
          row.dataset.video = videos;
        }
        return row;
      }),
    );
    const rows = [...tracks.querySelectorAll(".track.video")];
    if (rows.length > 0) {
      for (const each of documentOf.transitions ?? []) {
        const mark = place(
          h("div", { class: "transition", title: each.kind }, h("span", { class: "hidden-text" }, each.kind)),
          each.start,
          each.end,
        );
        mark.style.height = `calc(${rows.length} * (var(--track) + .25rem) - .25rem)`;
        tracks.append(mark);
      }
    }
  };

  let hasFilm = true, filmKey = "";
  /** Shows the first frames of finished segments at even distances, if the coordinator makes such pictures. */
  const showFilm = () => {
    if (!hasFilm || segments.length === 0) return;
    const { from, to } = range(),
      columns = Math.max(2, Math.floor(scroller.clientWidth / (scroller.clientWidth < 500 ? 80 : 112))),
      wanted = [];
    for (let column = 0; column < columns; column++) {
      const frame = from + (to - from) * (column + 0.5) / columns;
      let low = 0, high = segments.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (segments[middle].first <= frame) low = middle;
        else high = middle - 1;
      }
      wanted.push(segments[low].state === "completed" ? segments[low].index : -1);
    }
    const key = wanted.join();
    if (key === filmKey) return;
    filmKey = key;
    films.hidden = !wanted.some((index) => index >= 0);
    while (films.children.length > columns) films.lastChild.remove();
    while (films.children.length < columns) films.append(h("span"));
    wanted.forEach((index, column) => {
      const cell = films.children[column], old = cell.firstChild;
      if (index < 0) return cell.replaceChildren();
      if (old?.dataset.index === String(index)) return;
      const picture = h("img", {
        src: `/api/v1/jobs/${job.id}/segments/${index}/thumbnail`,
        alt: "",
        loading: "lazy",
        decoding: "async",
        "data-index": index,
      });
      picture.addEventListener("error", () => {
        picture.remove();
        // If none of them can be loaded, this coordinator makes no such pictures.
        if (!films.querySelector("img")) {
          hasFilm = false;
          films.hidden = true;
        }
      });
      cell.replaceChildren(picture);
    });
  };

  const node = h(
    "section",
    { class: "card timeline", "aria-label": "Timeline" },
    h("div", { class: "timeline-body" }, scroller, films, wave.node, strip, cursor),
    h(
      "div",
      { class: "timeline-foot" },
      legend(),
      h("div", { class: "zoom", role: "group", "aria-label": "Zoom" }, scale, smaller, larger, whole),
    ),
    hint,
  );
  return {
    node,
    setJob(next) {
      job = next;
      refresh();
    },
    setSegments(next) {
      segments = next;
      refresh();
      showFilm();
    },
    setDocument(next) {
      documentOf = next;
      showTracks();
      drawAll();
    },
    setPeaks(next) {
      peaks = next;
      wave.node.hidden = !next;
      showTracks();
      wave.draw();
    },
    /** Shows where a video of the job is, in seconds. */
    setPlayhead(seconds) {
      playhead.hidden = !(seconds > 0);
      playhead.style.left = `${100 * seconds / length()}%`;
    },
    select(index) {
      selected = index;
      label();
      bar.draw();
    },
    reveal,
    leave() {
      bar.leave();
      wave.leave();
      resized.disconnect();
    },
  };
  function refresh() {
    shownRuns = runs();
    node.hidden = !job?.frameCount;
    label();
    if (!ruler.firstChild) drawAll();
    else bar.draw();
  }
};
