// Parses a playlist that may grow (RFC 8216): its segments, each with its place on one timeline.

/**
 * The segments of a playlist: `{segments: [{url, header, start, end, part, partStart}], end, hasEnded}`. Times are
 * seconds. A part begins at each discontinuity, and `partStart` is the time at which its own clock begins. `base` is the
 * playlist's address.
 */
export const parsePlaylist = (text, base) => {
  const segments = [];
  let header, seconds = 0, end = 0, part = 0, partStart = 0, hasEnded = false;
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("#EXT-X-MAP:")) {
      header = new URL(/URI="([^"]*)"/.exec(line)?.[1] ?? "", base).href;
    } else if (line === "#EXT-X-DISCONTINUITY") {
      part += 1;
      partStart = end;
    } else if (line.startsWith("#EXTINF:")) {
      seconds = parseFloat(line.slice("#EXTINF:".length));
    } else if (line === "#EXT-X-ENDLIST") {
      hasEnded = true;
    } else if (line && !line.startsWith("#")) {
      segments.push({ url: new URL(line, base).href, header, start: end, end: end + seconds, part, partStart });
      end += seconds;
    }
  }
  return { segments, end, hasEnded };
};
