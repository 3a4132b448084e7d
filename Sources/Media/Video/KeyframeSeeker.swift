import Timeline

/// Moves a demuxer to a keyframe by the means that its format is exact in.
struct KeyframeSeeker {
  let demuxer: Demuxer
  let stream: Int

  /// Moves to `keyframe`; to the start of the file where there is none.
  func seek(to keyframe: FrameTable.Keyframe?) throws {
    guard let keyframe else { return try demuxer.seek(toByte: 0) }
    switch demuxer.format {
    case "mpegts", "mpeg":
      // No index: libav would search by time and land between keyframes. The packet's own place is exact.
      try demuxer.seek(toByte: max(keyframe.position, 0))
    case "matroska,webm":
      try demuxer.seek(stream: stream, to: keyframe.time)
    case let format where format.hasSuffix("_pipe"):
      try demuxer.seek(toByte: 0)
    default:
      try demuxer.seek(stream: stream, to: keyframe.decodingTime)
    }
  }
}
