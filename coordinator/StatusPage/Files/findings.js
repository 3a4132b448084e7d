// The problems of a project, each with what it concerns.

/** The settings that the first key of a path belongs to. */
const settings = { export: "preset", music: "music", animation: "title", renderSize: "preset" };

/**
 * Findings with the clip or the setting of the page that each concerns. `places` are the entries of the sequence; a
 * project file has none.
 */
export const placed = (found, places, isFile) =>
  found.map((each) => {
    if (each.clip) return each;
    const [first, index, field] = each.steps ?? [], place = first === "sequence" && places[Number(index)];
    if (place) return { ...each, path: undefined, clip: place.clip, field: place.field ?? field };
    const setting = settings[first];
    return isFile || !setting ? each : { ...each, path: undefined, setting };
  });
