// Names are untrusted: characters that are invisible or reorder text are escaped, as `PrintableText` does.
const escapes = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Text as a single line whose characters are all visible. The two joiners that scripts and emoji need are kept. */
export const printable = (text) =>
  String(text).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) =>
      "\u200c\u200d".includes(character)
        ? character
        : escapes[character] ?? `\\u{${character.codePointAt(0).toString(16).toUpperCase()}}`,
  );

/** The same for messages and documents, which may have several lines. */
export const printableLines = (text) => String(text).split("\n").map(printable).join("\n");

/** "1 job", "2 jobs", "1,000 jobs". */
export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

const whole = new Intl.NumberFormat("en");
/** A number with separators. */
export const count = (number) => whole.format(Math.round(number));

/** "58 %". Never 100 % before the end. */
export const percent = (part, total) => {
  if (!(total > 0)) return "0\u00a0%";
  const value = 100 * part / total;
  return `${part < total ? Math.min(99, Math.floor(value)) : 100}\u00a0%`;
};

/** "61 %" of a share that need not be exact. */
export const share = (part, total) => {
  const value = total > 0 ? 100 * part / total : 0;
  return value > 0 && value < 1 ? "<1\u00a0%" : `${Math.round(value)}\u00a0%`;
};

/** "1.4 TiB". */
export const bytes = (number) => {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let value = number, unit = 0;
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${unit === 0 || value >= 100 ? Math.round(value) : Number(value.toFixed(1))}\u00a0${units[unit]}`;
};

/** "412 fps", "9.3 fps". */
export const fps = (value) => `${value >= 10 || value === 0 ? count(value) : value.toFixed(1)}\u00a0fps`;

/** "14.2×": seconds of video a second. */
export const speed = (rate, frameDuration) => {
  const value = rate * frameDuration;
  return `${value >= 100 ? Math.round(value) : value >= 10 ? value.toFixed(1) : value.toFixed(2)}×`;
};
