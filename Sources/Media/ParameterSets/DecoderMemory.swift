/// State other than pictures that a decoder keeps from one packet to the next.
enum DecoderMemory: Hashable {
  /// A parameter set, by its kind and id.
  case parameterSet(kind: UInt8, id: Int)
  /// The build of x264 (H.264), or the headers before the first picture (MPEG-2, MPEG-4).
  case encoder
}
