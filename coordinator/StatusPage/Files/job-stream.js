// Reads which parts of a job can be played while it is rendered.
import { get } from "./api.js";

/** Converts a job's stream to the player's list. Each piece becomes one of the player's segments. */
export const listOf = (stream, base) => {
  const tracks = stream.sound === "ready" ? ["pictures", "sound"] : ["pictures"];
  let end = 0;
  for (const each of stream.segments) {
    if (!each.isFinished) break;
    end = each.end;
  }
  return {
    tracks: tracks.map((track) =>
      stream.segments.flatMap(({ start, end, pieces, isFinished }, index) =>
        Array.from({ length: pieces }, (_, piece) => ({
          url: `${base}/${track}/${index}-${piece}.m4s`,
          header: `${base}/${track}/header.mp4`,
          start: start + (end - start) * piece / pieces,
          end: start + (end - start) * (piece + 1) / pieces,
          part: 0,
          offset: -stream.startTime,
          isMissing: !isFinished,
          isInner: piece > 0 && track === "pictures",
        }))
      )
    ),
    end,
    duration: stream.duration,
    hasEnded: stream.hasEnded,
    revision: stream.revision,
    awaitsSound: stream.sound === "pending",
  };
};

/** A function that reads the list of a job. */
export const jobReader = (id) => async () => listOf(await get(`/jobs/${id}/stream`), `/api/v1/jobs/${id}/stream`);
