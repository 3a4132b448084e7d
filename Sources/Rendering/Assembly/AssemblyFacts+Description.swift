import Media
import Planning
import Timeline

extension AssemblyFacts {
  /// The clean aperture that the file says, in coded pixels: that of copied sources, or what is asked for.
  var cleanAperture: PixelRect? {
    carried?.cleanAperture ?? askedAperture?.rectangle(in: renderSize)
  }

  /// The sample description for pictures from several encoders; `nil` if none is copied, in which case the chunks' own
  /// parameter sets are used.
  ///
  /// The encoder's parameter sets are determined without one of its chunks: it is opened and closed.
  var sampleDescription: SampleDescription? {
    get throws {
      guard let carried else { return nil }
      // Every copied stream of these has some.
      if [.h264, .hevc, .av1].contains(codec), carried.parameterSets.isEmpty { return nil }
      var sets = carried.parameterSets
      if let encoded = carried.encoded {
        let settings = VideoEncoderSettings(
          encoded.video, in: encoded.workingFormat, size: renderSize,
          frameDuration: frameDuration)
        sets.append(try VideoEncoder(settings).parameterSets)
      }
      return try SampleDescription(sets, codec: codec, pixelFormat: carried.pixelFormat)
    }
  }
}
