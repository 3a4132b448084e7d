import CFFmpeg
import Timeline

extension UnsafeMutablePointer<AVFormatContext> {
  /// Adds a stream to a container that is written.
  ///
  /// - Parameters:
  ///   - timeBase: seconds per tick that represent the times exactly; the container may choose a finer one.
  ///   - path: the file's name in errors.
  func addStream(
    _ parameters: StreamParameters, timeBase: RationalTime, on path: String
  ) throws(MediaError) -> UnsafeMutablePointer<AVStream> {
    guard let base = timeBase.fraction, let stream = avformat_new_stream(self, nil) else {
      throw MediaError(.invalidSettings, "cannot add a stream", on: path)
    }
    try checked(
      avcodec_parameters_copy(stream.pointee.codecpar, parameters.pointer), .outOfMemory,
      "cannot copy the stream parameters", on: path)
    if parameters.pointer.pointee.codec_id == AV_CODEC_ID_FLAC {
      // libavformat calls FLAC in MP4 experimental, but the format has been stable since 2018.
      pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
    }
    stream.pointee.time_base = base
    stream.pointee.sample_aspect_ratio = parameters.pointer.pointee.sample_aspect_ratio
    return stream
  }

  /// Writes a packet. Its bytes are shared, and its times are converted from its own time base.
  ///
  /// - Parameters:
  ///   - scratch: an empty packet to convert it in.
  ///   - path: the file's name in errors.
  /// - Returns: libav's status.
  func write(
    _ packet: Packet, to stream: Int, through scratch: Packet, on path: String
  ) throws(MediaError) -> Int32 {
    guard stream < Int(pointee.nb_streams), let target = pointee.streams[stream],
      let base = packet.timeBase.fraction
    else { throw MediaError(.invalidSettings, "cannot write a packet", on: path) }
    scratch.clear()
    let status = av_packet_ref(scratch.pointer, packet.pointer)
    guard status >= 0 else { return status }
    scratch.pointer.pointee.stream_index = Int32(stream)
    scratch.pointer.pointee.pos = -1
    av_packet_rescale_ts(scratch.pointer, base, target.pointee.time_base)
    return av_write_frame(self, scratch.pointer)
  }
}
