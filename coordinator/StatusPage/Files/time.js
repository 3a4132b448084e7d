const two = (number) => String(number).padStart(2, "0");

/** "00:23:50:12" for a frame: hours, minutes, seconds, and frames of that second. */
export const timecode = (frame, frameDuration) => {
  const seconds = Math.floor(frame * frameDuration + 1e-6);
  const frames = Math.max(0, frame - Math.ceil(seconds / frameDuration - 1e-6));
  return `${clockOf(seconds)}:${two(frames)}`;
};

/** "01:42:10" for seconds. */
export const clockOf = (seconds) => {
  const whole = Math.floor(seconds + 1e-6);
  return `${two(Math.floor(whole / 3600))}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
};

/** A label of a ruler: "12.5 s", "20:00", "01:20:00", whichever the step needs. */
export const rulerLabel = (seconds, step) => {
  if (step < 1) return `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(1).padStart(4, "0")}`;
  return seconds < 3600 ? clockOf(seconds).slice(3) : clockOf(seconds);
};

/** "1.9 s", "42 s", "3 min 02 s", "1 h 04 min", "2 d 3 h". */
export const duration = (seconds) => {
  if (!(seconds >= 0)) return "";
  if (seconds < 9.95) return `${seconds.toFixed(1)}\u00a0s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}\u00a0s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}\u00a0min ${two(whole % 60)}\u00a0s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)}\u00a0h ${two(Math.floor(whole / 60) % 60)}\u00a0min`;
  return `${Math.floor(whole / 86400)}\u00a0d ${Math.floor(whole / 3600) % 24}\u00a0h`;
};

/** The same in whole seconds, for values that tick. */
export const elapsed = (seconds) => seconds < 9.95 ? `${Math.max(0, Math.floor(seconds))}\u00a0s` : duration(seconds);

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "09:12" today, "24 Nov 09:12" earlier, "24 Nov 2025" in another year. */
export const moment = (text, now = new Date()) => {
  const date = new Date(text);
  if (isNaN(date)) return "";
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (date.toDateString() === now.toDateString()) return time;
  const day = `${date.getDate()} ${months[date.getMonth()]}`;
  return date.getFullYear() === now.getFullYear() ? `${day} ${time}` : `${day} ${date.getFullYear()}`;
};

/** "09:14:22.120". */
export const preciseTime = (text) => {
  if (!text) return "";
  const date = new Date(text);
  if (isNaN(date)) return "";
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}` +
    (date.getMilliseconds() ? `.${String(date.getMilliseconds()).padStart(3, "0")}` : "");
};

/** "just now", "12 s ago", "3 min ago", "2 h ago". */
export const ago = (seconds) => {
  if (seconds < 5) return "just now";
  if (seconds < 60) return `${Math.floor(seconds)}\u00a0s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}\u00a0min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)}\u00a0h ago`;
  return `${Math.floor(seconds / 86400)}\u00a0d ago`;
};
