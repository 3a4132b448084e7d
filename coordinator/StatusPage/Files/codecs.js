// Names the codecs of an MP4 header (ISO/IEC 14496-12), as browsers expect them (RFC 6381).

const containers = new Set(["moov", "trak", "mdia", "minf", "stbl"]);
const hex = (number) => number.toString(16).padStart(2, "0");

/** Calls `visit(type, start, end)` for the contents of each box between two offsets. */
const eachBox = (view, start, end, visit) => {
  for (let at = start; at + 8 <= end;) {
    const size = view.getUint32(at);
    if (size < 8 || at + size > end) return;
    const type = String.fromCharCode(...[4, 5, 6, 7].map((offset) => view.getUint8(at + offset)));
    visit(type, at + 8, at + size);
    at += size;
  }
};

/** `avc1.64001f`: profile, constraints and level (ISO/IEC 14496-15, 5.3.3.1). */
const avc = (tag, view, at) => `${tag}.${hex(view.getUint8(at + 1))}${hex(view.getUint8(at + 2))}${hex(view.getUint8(at + 3))}`;

/** `hvc1.1.6.L93.B0`: profile, compatibility, tier, level and constraints (ISO/IEC 14496-15, annex E). */
const hevc = (tag, view, at) => {
  const profile = view.getUint8(at + 1), space = ["", "A", "B", "C"][profile >> 6];
  let flags = view.getUint32(at + 2), reversed = 0;
  for (let bit = 0; bit < 32; bit++, flags >>>= 1) reversed = (reversed << 1) | (flags & 1);
  const constraints = [];
  for (let index = 0; index < 6; index++) constraints.push(view.getUint8(at + 6 + index));
  while (constraints.at(-1) === 0) constraints.pop();
  return [
    `${tag}.${space}${profile & 31}`,
    (reversed >>> 0).toString(16),
    `${profile & 32 ? "H" : "L"}${view.getUint8(at + 12)}`,
    ...constraints.map((each) => each.toString(16)),
  ].join(".");
};

/** `av01.0.04M.08`: profile, level, tier and depth (the AV1 binding to ISOBMFF, 5). */
const av1 = (view, at) => {
  const first = view.getUint8(at + 1), second = view.getUint8(at + 2);
  const depth = second & 0x40 ? (second & 0x20 ? 12 : 10) : 8;
  const two = (number) => String(number).padStart(2, "0");
  return `av01.${first >> 5}.${two(first & 31)}${second & 0x80 ? "H" : "M"}.${two(depth)}`;
};

/** `vp09.00.31.08`: profile, level and depth (VP Codec ISO Media File Format Binding, "Codecs Parameter String"). */
const vp9 = (view, at) => {
  const two = (number) => String(number).padStart(2, "0");
  return `vp09.${two(view.getUint8(at + 4))}.${two(view.getUint8(at + 5))}.${two(view.getUint8(at + 6) >> 4)}`;
};

/** `mp4a.40.2`, or `mp4a.6b` for MP3: the object types of an elementary stream descriptor (ISO/IEC 14496-1, 7.2.6.5). */
const mpegAudio = (view, start, end) => {
  // A descriptor is a tag and a length of one to four bytes.
  let at = start + 4;
  const open = () => {
    const tag = view.getUint8(at++);
    while (view.getUint8(at++) & 0x80 && at < end);
    return tag;
  };
  open();
  const flags = view.getUint8(at + 2);
  at += 3 + (flags & 0x80 ? 2 : 0) + (flags & 0x20 ? 2 : 0);
  if (flags & 0x40) at += 1 + view.getUint8(at);
  open();
  const objectType = view.getUint8(at);
  at += 13;
  if (objectType !== 0x40 || at >= end) return `mp4a.${hex(objectType)}`;
  open();
  return `mp4a.40.${view.getUint8(at) >> 3}`;
};

/** The codec of a sample entry; its tag if it needs no more. */
const codecOf = (type, view, start, end) => {
  const isVideo = !["mp4a", "Opus", "fLaC", "ac-3", "ec-3"].includes(type);
  let found;
  eachBox(view, start + (isVideo ? 78 : 28), end, (inner, from, to) => {
    if (inner === "avcC") found = avc(type, view, from);
    else if (inner === "hvcC") found = hevc(type, view, from);
    else if (inner === "av1C") found = av1(view, from);
    else if (inner === "vpcC") found = vp9(view, from);
    else if (inner === "esds") found = mpegAudio(view, from, to);
  });
  return found ?? { Opus: "opus", fLaC: "flac" }[type] ?? type;
};

/** The codecs of a header, in the order of its tracks. */
export const codecsOf = (buffer) => {
  const view = new DataView(buffer), found = [];
  const visit = (type, start, end) => {
    if (containers.has(type)) return eachBox(view, start, end, visit);
    if (type === "stsd") eachBox(view, start + 8, end, (entry, from, to) => found.push(codecOf(entry, view, from, to)));
  };
  eachBox(view, 0, view.byteLength, visit);
  return found;
};
