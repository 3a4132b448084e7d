/// Converts temporal units of AV1 to the form of chunks: without delimiters and padding, and with everything that the
/// stream has out of band before every keyframe.
struct TemporalUnitRewriter {
  /// The sequence header that the first unit uses.
  let sequenceHeader: SequenceHeader
  private let metadata: [[UInt8]]

  /// Creates a rewriter for a stream's units from `first` on; `nil` if there is no sequence header.
  ///
  /// - Parameters:
  ///   - record: the stream's out-of-band configuration.
  ///   - first: the unit that the copy begins with.
  init?(record: [UInt8], first: UnsafeRawBufferPointer) {
    guard let configuration = AV1Configuration(record),
      let header = TemporalUnit(first)?.sequenceHeader ?? configuration.sequenceHeader
    else { return nil }
    sequenceHeader = header
    metadata = configuration.metadata
  }

  /// A chunk's out-of-band configuration.
  var record: [UInt8] { AV1Configuration.record(of: [sequenceHeader]) ?? [] }

  /// The rewritten unit, and whether decoding can begin with it; `nil` if the bytes are not a unit.
  func rewrite(_ bytes: UnsafeRawBufferPointer) -> (bytes: [UInt8], isKey: Bool)? {
    guard let unit = TemporalUnit(bytes) else { return nil }
    var (body, kinds) = ([UInt8](), Set<[UInt8]>())
    body.reserveCapacity(bytes.count)
    var place = 0
    while let part = OpenBitstreamUnit(at: place, in: bytes) {
      place = part.whole.upperBound
      switch part.kind {
      case .temporalDelimiter, .padding: continue
      // The result begins with it.
      case .sequenceHeader where unit.isReset: continue
      case .metadata: kinds.insert(Self.kind(bytes[part.payload]))
      default: break
      }
      body += bytes[part.whole]
    }
    guard unit.isReset else { return (body, false) }
    let missing = metadata.filter { part in
      part.withUnsafeBytes { bytes in
        OpenBitstreamUnit(at: 0, in: bytes).map { !kinds.contains(Self.kind(bytes[$0.payload])) }
          ?? false
      }
    }
    return ((unit.sequenceHeader ?? sequenceHeader).bytes + missing.joined() + body, true)
  }

  /// The type of metadata: its first number (5.8.1).
  private static func kind(_ payload: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
    let more = payload.prefix(7).prefix { $0 & 0x80 != 0 }
    return Array(payload.prefix(more.count + 1))
  }
}
