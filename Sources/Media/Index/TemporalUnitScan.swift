import Timeline

/// The common properties of an AV1 stream's temporal units that matter for copying.
struct TemporalUnitScan {
  /// The stream's out-of-band configuration.
  private let configuration: AV1Configuration?
  /// The distinct sequence headers in band.
  private var found: [SequenceHeader] = []
  /// Whether every unit shows one frame.
  private var isEven = true
  /// Whether a unit that resets the decoder relies on the out-of-band configuration.
  private var reliesOnConfiguration = false

  /// The maximum number of distinct headers, more than any file joined from several encoders contains.
  private static let mostHeaders = 64

  init(_ parameters: StreamParameters) {
    configuration = AV1Configuration(parameters.parameterSets)
  }

  /// Adds the next unit.
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

  /// The distinct headers that copied units use; `nil` if units cannot be copied.
  ///
  /// - Parameter size: the size of the pictures according to the container.
  func headers(size: PixelSize) -> [SequenceHeader]? {
    guard isEven, found.count <= Self.mostHeaders, let configuration else { return nil }
    var headers = found
    if reliesOnConfiguration {
      // If there are several headers, it is uncertain which one a keyframe without a header uses.
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
