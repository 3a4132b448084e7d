import Timeline

/// The common properties of an AV1 stream's temporal units that matter for copying.
struct TemporalUnitScan {
  /// The stream's out-of-band configuration.
  private let configuration: AV1Configuration?
  /// The sequence headers in band, each once.
  private var found: [SequenceHeader] = []
  /// Whether every unit shows one frame.
  private var isEven = true
  /// Whether a unit that resets the decoder relies on what is out of band.
  private var reliesOnConfiguration = false

  /// More headers than a file has whose parts come from several encoders.
  private static let mostHeaders = 64

  init(_ parameters: StreamParameters) {
    configuration = AV1Configuration(parameters.parameterSets)
  }

  /// Takes in the next unit.
  ///
  /// - Returns: whether a decoder can begin with it.
  mutating func add(_ packet: Packet) -> Bool {
    guard let unit = packet.withUnsafeBytes({ TemporalUnit($0) }), unit.shownFrames == 1 else {
      isEven = false
      return false
    }
    if let header = unit.sequenceHeader {
      if found.last != header, !found.contains(header), found.count <= Self.mostHeaders {
        found.append(header)
      }
    } else if unit.isReset {
      reliesOnConfiguration = true
    }
    return unit.isReset
  }

  /// The headers that copied units go by, each once; `nil` where units cannot be copied.
  ///
  /// - Parameter size: the pictures' size by the container.
  func headers(size: PixelSize) -> [SequenceHeader]? {
    guard isEven, found.count <= Self.mostHeaders, let configuration else { return nil }
    var headers = found
    if reliesOnConfiguration {
      // Which one a keyframe without a header goes by is certain only where there is one alone.
      guard let declared = configuration.sequenceHeader,
        headers.allSatisfy({ $0 == declared })
      else { return nil }
      headers = [declared]
    }
    guard !headers.isEmpty,
      headers.allSatisfy({ header in
        header.isPlain && header.form.size == size
          && headers.allSatisfy { $0.form.joins(header.form) }
      })
    else { return nil }
    return headers
  }
}
