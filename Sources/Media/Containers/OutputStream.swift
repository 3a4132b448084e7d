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
}
