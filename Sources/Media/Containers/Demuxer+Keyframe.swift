import Timeline

extension Demuxer {
  /// Seeks to a keyframe of a stream, in the way that is exact for the format.
  public func seek(stream: Int, to keyframe: FrameTable.Keyframe) throws {
    switch format {
    case "mpegts", "mpeg":
      // These formats have no index: libav would search by time and land between keyframes. The packet's byte position
      // is exact.
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
