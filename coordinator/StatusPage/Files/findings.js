// The problems of a project, each with what it concerns.

/** The findings in a problem's lines: `sequence[2].out: 12 s is beyond the end`. */
export const fromLines = (detail) =>
  detail.split("\n").filter(Boolean).map((line) => {
    const match = /^([A-Za-z][\w.[\]"-]*): (.*)$/.exec(line);
    return match ? { path: match[1], message: match[2] } : { message: line };
  });

/** The settings that the first key of a path belongs to. */
const settings = { export: "preset", music: "music", animation: "title", renderSize: "preset" };

/**
 * Findings with the clip or the setting of the page that each concerns. `places` are the entries of the sequence; a
 * project file has none.
 */
export const placed = (found, places, isFile) =>
  found.map((each) => {
    if (each.clip) return each;
    const match = /^sequence\[(\d+)\](?:\.(\w+))?/.exec(each.path ?? ""), place = match && places[Number(match[1])];
    if (place) return { ...each, path: undefined, clip: place.clip, field: place.field ?? match[2] };
    const setting = settings[/^\w+/.exec(each.path ?? "")?.[0]];
    return isFile || !setting ? each : { ...each, path: undefined, setting };
  });
