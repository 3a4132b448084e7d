import Media
import Planning
import Timeline

extension AssemblyFacts {
  /// What the file says of pictures from several encoders; `nil` where none is copied.
  ///
  /// The encoder's parameter sets are known without a chunk of its: it is opened and let go.
  var sampleDescription: SampleDescription? {
    get throws {
      guard let carried else { return nil }
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
