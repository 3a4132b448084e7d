import Timeline

/// The single sample description of a file whose pictures come from several encoders.
public struct SampleDescription: Sendable {
  /// The record for the sample description; empty for codecs without parameter sets.
  public let record: [UInt8]
  /// Whether the record holds all parameter sets, none of them having another's id, or AV1's only sequence header.
  /// Otherwise those in band count.
  public let isComplete: Bool
  /// The out-of-band configurations that chunks may have.
  private let known: Known

  private enum Known {
    /// All parameter sets of H.264 and H.265, those that the record leaves out among them.
    case units([ParameterSets])
    /// All sequence headers of AV1.
    case sequenceHeaders([SequenceHeader])
  }

  /// The description for chunks with these parameter sets, the first ones first.
  ///
  /// - Parameters:
  ///   - sets: what each source and each encoder has out of band, in any form.
  ///   - pixelFormat: the pictures' layout by libav's name.
  /// - Throws: ``MediaError`` with code `invalidSettings` if no record can be made.
  public init(_ sets: [[UInt8]], codec: VideoSettings.Codec, pixelFormat: String) throws {
    if codec == .av1 {
      let headers = sets.compactMap { AV1Configuration($0)?.sequenceHeader }
      guard let record = AV1Configuration.record(of: headers) else { throw Self.impossible(codec) }
      self.record = record
      isComplete = headers.count == 1
      known = .sequenceHeaders(headers)
      return
    }
    let units = sets.compactMap { ParameterSets(codec: codec.rawValue, record: $0) }
    known = .units(units)
    guard var all = units.first else {
      (record, isComplete) = ([], true)
      return
    }
    var isComplete = true
    for other in units.dropFirst() { isComplete = all.add(other) && isComplete }
    guard let format = PixelFormat.named(pixelFormat), let record = all.record(format: format)
    else { throw Self.impossible(codec) }
    self.record = record
    self.isComplete = isComplete
  }

  private static func impossible(_ codec: VideoSettings.Codec) -> MediaError {
    MediaError(
      .invalidSettings, "no sample description can be made of the parameter sets",
      on: codec.rawValue, remedy: "choose another preset than passthrough")
  }

  /// Whether a chunk with these parameter sets decodes in the file.
  public func holds(_ parameters: StreamParameters) -> Bool {
    switch known {
    case .units(let units):
      guard
        let sets = ParameterSets(codec: parameters.codec, record: parameters.parameterSets)
      else { return units.isEmpty }
      return units.contains { $0.holds(sets) }
    case .sequenceHeaders(let headers):
      guard let header = AV1Configuration(parameters.parameterSets)?.sequenceHeader else {
        return false
      }
      return headers.contains(header)
    }
  }
}
