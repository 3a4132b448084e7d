// A simple sequence on the page, and the project file that it is.

/** The presets, with what each is for. */
export const presets = {
  automatic: "Automatic: the footage's own format, copied where possible",
  highestQuality: "Highest quality: H.264, size of the footage",
  "1920x1080": "1080p: H.264, at most 1920×1080",
  "1280x720": "720p: H.264, at most 1280×720",
  "3840x2160": "4K: H.264, at most 3840×2160",
  hevc1920x1080: "1080p: H.265, at most 1920×1080",
  hevc3840x2160: "4K: H.265, at most 3840×2160",
  mediumQuality: "Medium: H.264, at most 1280×720",
  lowQuality: "Low: H.264, at most 640×360",
  appleProRes422LPCM: "Editing: ProRes 422",
  passthrough: "Copy: encode only what changes",
  appleM4A: "Sound only: M4A",
};

/** The transitions between clips. */
export const transitions = {
  cut: "cut",
  dissolve: "dissolve",
  fade: "fade through black",
  push: "push",
  slide: "slide",
  wipe: "wipe",
  iris: "iris",
  clockWipe: "clock wipe",
};

/** The largest size that a preset makes, or `undefined`. */
const sizeOf = (preset) => {
  const found = /(\d+)x(\d+)/.exec(preset) ?? { mediumQuality: [0, 1280, 720], lowQuality: [0, 640, 360] }[preset];
  return found && { width: Number(found[1]), height: Number(found[2]) };
};

/** A time as people write it (`12`, `12.5`, `1:02.5`, `00:01:02`) as a project's exact seconds, or `undefined`. */
export const parseTime = (text) => {
  const match = /^(?:(?:(\d+):)?(\d+):)?(\d+)(?:[.,](\d+))?$/.exec(text.trim());
  if (!match) return undefined;
  const seconds = Number(match[1] ?? 0) * 3600 + Number(match[2] ?? 0) * 60 + Number(match[3]);
  return match[4] && Number(match[4]) > 0 ? `${seconds}.${match[4]}` : seconds;
};

/** The size of the output, which titles are placed in. */
const renderSize = (clips, preset) => {
  const first = clips.find((clip) => clip.width > 0);
  let limit = sizeOf(preset);
  const { width, height } = first ?? limit ?? { width: 1920, height: 1080 };
  if (limit && height > width) limit = { width: limit.height, height: limit.width };
  const factor = limit ? Math.min(1, limit.width / width, limit.height / height) : 1;
  const even = (value) => Math.max(16, 2 * Math.round(value * factor / 2));
  return { width: even(width), height: even(height) };
};

const titleLayer = (text, { width, height }) => {
  const size = Math.round(Math.min(width, height) * 0.075);
  return {
    type: "text",
    text,
    font: { family: "DejaVu Sans", weight: "bold", size },
    alignment: "center",
    shadow: {
      color: "#000000",
      opacity: 0.8,
      radius: Math.max(2, Math.round(size / 5)),
      offset: { x: 0, y: Math.max(1, Math.round(size / 24)) },
    },
    position: { x: width / 2, y: Math.round(height * 0.82) },
    timeRange: { start: "0.5", duration: 4 },
    animations: [{
      property: "opacity",
      values: [0, 1, 1, 0],
      keyTimes: [0, 0.125, 0.875, 1],
      beginTime: "0.5",
      duration: 4,
    }],
  };
};

/**
 * The project of a sequence, with what each of its entries is: `{project, places, problems}`. `places[2]` is
 * `{clip, field}` for `sequence[2]`. Problems are like a coordinator's findings.
 */
export const projectOf = ({ clips, music, title, preset }) => {
  const sequence = [], places = [], problems = [];
  clips.forEach((clip, index) => {
    if (index > 0 && clip.transition !== "cut") {
      const duration = parseTime(clip.transitionDuration);
      if (duration === undefined) {
        problems.push({
          clip: clip.id,
          field: "transition",
          message: "Enter the length of the transition in seconds, such as 1 or 0.5.",
        });
      }
      places.push({ clip: clip.id, field: "transition" });
      sequence.push({ transition: clip.transition, duration: duration ?? 1 });
    }
    const entry = { clip: clip.file };
    for (const field of ["in", "out"]) {
      if (clip[field].trim() === "") continue;
      const time = parseTime(clip[field]);
      if (time === undefined) {
        problems.push({ clip: clip.id, field, message: "Enter a time such as 12, 12.5 or 0:12.5." });
      } else entry[field] = time;
    }
    places.push({ clip: clip.id, field: undefined });
    sequence.push(entry);
  });
  const project = { version: 1, sequence };
  if (title.trim()) {
    project.renderSize = renderSize(clips, preset);
    project.animation = { layers: [titleLayer(title.trim(), project.renderSize)] };
  }
  if (music.file) {
    project.music = [{
      clip: music.file,
      volume: String(music.volume),
      loop: music.loop || undefined,
      fadeOut: 2,
      duck: music.duck || undefined,
    }];
  }
  project.export = { preset };
  return { project, places, problems };
};

/** The seconds that a sequence lasts, if all its clips are known. */
export const lengthOf = (clips) => {
  let total = 0;
  for (const [index, clip] of clips.entries()) {
    const from = Number(parseTime(clip.in || "0")), to = clip.out ? Number(parseTime(clip.out)) : clip.duration;
    if (!(to > from)) return undefined;
    total += to - from -
      (index > 0 && clip.transition !== "cut" ? Number(parseTime(clip.transitionDuration) ?? 0) : 0);
  }
  return total;
};

/** The files that a project names by a path, in either of its forms. Addresses are fetched by the coordinator. */
export const filesIn = (project) => {
  const found = new Set();
  const add = (value) => {
    if (typeof value === "string" && value !== "" && !/^https?:\/\//.test(value)) found.add(value);
  };
  const isComposition = Boolean(project?.composition);
  const look = (value) => {
    if (Array.isArray(value)) return value.forEach(look);
    if (value === null || typeof value !== "object") return;
    for (const [key, each] of Object.entries(value)) {
      // Keys that begin with // are comments.
      if (key.startsWith("//")) continue;
      if (key === "path" && value.type === undefined && value.shape === undefined) add(each);
      else if (key === "clip" || key === "map" || (key === "asset" && !isComposition)) add(each);
      else look(each);
    }
  };
  look(project);
  return [...found];
};
