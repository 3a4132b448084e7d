import Timeline

extension Demuxer {
  /// Moves to a keyframe of a stream by the means that the format is exact in.
  public func seek(stream: Int, to keyframe: FrameTable.Keyframe) throws {
    switch format {
    case "mpegts", "mpeg":
      // No index: libav would search by time and land between keyframes. The packet's own place is exact.
      try seek(toByte: max(keyframe.position, 0))
    case "matroska,webm":
      try seek(stream: stream, to: keyframe.packetTime ?? keyframe.time)
    case _ where isStillImage:
      try seek(toByte: 0)
    default:
      try seek(stream: stream, to: keyframe.decodingTime)
    }
  }
}
