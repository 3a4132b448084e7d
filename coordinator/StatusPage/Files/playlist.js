// Reads a playlist that may grow (RFC 8216): its segments, each with its place on one timeline.

/** The list of a playlist's segments for the player. `base` is the playlist's address. */
export const parsePlaylist = (text, base) => {
  const segments = [];
  let header, seconds = 0, end = 0, part = 0, offset = 0, hasEnded = false;
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("#EXT-X-MAP:")) {
      header = new URL(/URI="([^"]*)"/.exec(line)?.[1] ?? "", base).href;
    } else if (line === "#EXT-X-DISCONTINUITY") {
      part += 1;
      offset = end;
    } else if (line.startsWith("#EXTINF:")) {
      seconds = parseFloat(line.slice("#EXTINF:".length));
    } else if (line === "#EXT-X-ENDLIST") {
      hasEnded = true;
    } else if (line && !line.startsWith("#")) {
      segments.push({ url: new URL(line, base).href, header, start: end, end: end + seconds, part, offset });
      end += seconds;
    }
  }
  return { tracks: segments.length > 0 ? [segments] : [], end, hasEnded };
};

/** A function that reads the playlist at an address. */
export const playlistReader = (address) => async () => {
  const { href } = new URL(address, location.href), response = await fetch(href, { cache: "no-store" });
  if (!response.ok) throw new Error(`The playlist cannot be loaded: the coordinator responded with ${response.status}.`);
  return parsePlaylist(await response.text(), href);
};
