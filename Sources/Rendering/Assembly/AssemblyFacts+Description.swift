import Media
import Planning
import Timeline

extension AssemblyFacts {
  /// The clean aperture that the file declares, in coded pixels: that of copied sources, or the one that the project
  /// sets.
  var cleanAperture: PixelRect? {
    carried?.cleanAperture ?? askedAperture?.rectangle(in: renderSize)
  }

  /// The sample description for pictures from several encoders; `nil` if none is copied, in which case the chunks' own
  /// parameter sets are used.
  ///
  /// To get the encoder's parameter sets without one of its chunks, the encoder is opened and closed.
  var sampleDescription: SampleDescription? {
    get throws {
      guard let carried else { return nil }
      // Every copied stream of these codecs has parameter sets, so nothing is copied.
      if [.h264, .hevc, .av1].contains(codec), carried.parameterSets.isEmpty { return nil }
      var sets = carried.parameterSets
      if let encoded = carried.encoded {
        let settings = VideoEncoderSettings(
          encoded.video, in: encoded.workingFormat, size: renderSize,
          frameDuration: frameDuration)
        sets.append(try VideoEncoder(settings).parameterSets)
      }
      let description = try SampleDescription(
        sets, codec: codec, pixelFormat: carried.pixelFormat)
      guard compatibility != .strict || description.isComplete else {
        throw AssemblyError(
          .invalidSettings,
          "one sample description cannot hold the parameter sets of all parts, which"
            + " export.compatibility requires")
      }
      return description
    }
  }

  /// The coding parameters of the file's pictures.
  ///
  /// - Parameters:
  ///   - chunk: one of the file's chunks.
  ///   - fileType: the container that they are for.
  ///   - description: the ``sampleDescription``.
  func parameters(
    of chunk: ChunkReader, in fileType: FileType, _ description: SampleDescription?
  ) throws -> StreamParameters {
    let parameters = try StreamParameters(copying: chunk.parameters)
    if let description { try parameters.setParameterSets(description.record) }
    codec.setTag(of: parameters, in: fileType, hasOtherSets: description?.isComplete == false)
    if let ratio = carried?.pixelAspectRatio { parameters.setPixelAspectRatio(ratio) }
    return parameters
  }
}
