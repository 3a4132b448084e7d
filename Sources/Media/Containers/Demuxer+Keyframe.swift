import Timeline

extension Demuxer {
  /// Seeks to a keyframe of a stream, in the way that is exact for the format. The stream must be the only selected one.
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
    case "mov,mp4,m4a,3gp,3g2,mj2":
      // libav subtracts the least difference between presentation and decoding times. A keyframe's own difference may be
      // greater, and the seek may then lead to a later keyframe.
      let isReached = try seek(
        stream: stream, to: keyframe.packetTime ?? keyframe.time, reaching: keyframe.decodingTime)
      if !isReached { try seek(stream: stream, to: keyframe.decodingTime) }
    default:
      try seek(stream: stream, to: keyframe.decodingTime)
    }
  }
}
