import Timeline

/// What a file says, once and for all, of pictures that come from several encoders.
public struct SampleDescription: Sendable {
  /// The record for the sample description; empty for codecs without parameter sets.
  public let record: [UInt8]
  /// Whether the record holds all parameter sets, none of them having another's id. Otherwise those in band count.
  public let isComplete: Bool
  /// All sets, those that the record leaves out among them.
  private let known: [ParameterSets]

  /// The description for chunks with these parameter sets, the first ones first.
  ///
  /// - Parameters:
  ///   - sets: what each source and each encoder has out of band, in any form.
  ///   - pixelFormat: the pictures' layout by libav's name.
  /// - Throws: ``MediaError`` with code `invalidSettings` where no record can be made.
  public init(_ sets: [[UInt8]], codec: VideoSettings.Codec, pixelFormat: String) throws {
    known = sets.compactMap { ParameterSets(codec: codec.rawValue, record: $0) }
    guard var all = known.first else {
      (record, isComplete) = ([], true)
      return
    }
    var isComplete = true
    for other in known.dropFirst() { isComplete = all.add(other) && isComplete }
    guard let format = PixelFormat.named(pixelFormat), let record = all.record(format: format)
    else {
      throw MediaError(
        .invalidSettings, "no sample description can be made of the parameter sets",
        on: codec.rawValue, remedy: "choose another preset than passthrough")
    }
    self.record = record
    self.isComplete = isComplete
  }

  /// Whether a chunk with these parameter sets decodes in the file.
  public func holds(_ parameters: StreamParameters) -> Bool {
    guard
      let sets = ParameterSets(codec: parameters.codec, record: parameters.parameterSets)
    else { return known.isEmpty }
    return known.contains { $0.holds(sets) }
  }
}
