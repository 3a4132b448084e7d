import Timeline

/// The single sample description of a file whose pictures come from several encoders.
public struct SampleDescription: Sendable {
  /// The record for the sample description; empty for codecs without parameter sets.
  public let record: [UInt8]
  /// Whether the record holds all parameter sets, each with a distinct id, or AV1's only sequence header. Otherwise the
  /// ones in band are needed.
  public let isComplete: Bool
  /// The out-of-band configurations that chunks may have.
  private let known: Known

  private enum Known {
    /// All parameter sets of H.264 and H.265, including those that the record leaves out.
    case units([ParameterSets])
    /// All sequence headers of AV1.
    case sequenceHeaders([SequenceHeader])
  }

  /// Creates the description for chunks with these parameter sets. If ids conflict, the first set is used.
  ///
  /// - Parameters:
  ///   - sets: the out-of-band sets of each source and each encoder, in any form.
  ///   - pixelFormat: the format of the pictures by its libav name.
  /// - Throws: ``MediaError`` with code `invalidSettings` if the sets do not fit in a record.
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
      .invalidSettings, "the parameter sets do not fit in a sample description",
      on: codec.rawValue, remedy: "choose a preset other than passthrough")
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
