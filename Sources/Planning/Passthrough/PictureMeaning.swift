import Timeline

/// The properties that decide how a stream's pictures are shown. A file states each of them once for all its pictures.
struct PictureMeaning {
  /// A stated or assumed property value, as messages name it.
  private struct Property {
    let value: String
    let isStated: Bool

    init(_ value: String, isStated: Bool) {
      self.value = value
      self.isStated = isStated
    }

    var text: String { isStated ? value : "assumed \(value)" }
  }

  /// A property that differs between two streams.
  struct Difference {
    /// The value of this stream.
    let own: String
    /// The value of the other stream.
    let other: String
    /// Whether one of them does not state its value.
    var isUnstated = false
  }

  private let transfer: ColorSpace.Transfer
  private let primaries: Property
  private let matrix: Property
  private let range: Property
  private let profile: String?
  /// The chroma location that AV1 states; `nil` if it states none. Copied packets of other codecs keep their
  /// statements.
  private let chroma: String?

  init(_ stream: VideoStream) {
    let tags = stream.color
    let color = ColorSpace(tags, size: stream.size)
    transfer = color.transfer
    primaries = Property(
      "\(color.primaries.rawValue) primaries", isStated: tags.primaries != nil)
    matrix = Property("\(color.matrix.rawValue) matrix", isStated: tags.matrix != nil)
    range = Property(
      color.isFullRange ? "full range" : "limited range", isStated: tags.range != nil)
    profile = stream.codec == "prores" ? stream.copying?.profile : nil
    chroma = stream.copying?.statedChromaPosition?.shownName
  }

  /// The properties that differ from those of another stream, with both values.
  ///
  /// A property that a stream does not state is compared by its assumed value. Otherwise, the pictures of one stream
  /// would silently look different.
  func differences(from other: PictureMeaning) -> [Difference] {
    var found: [Difference] = []
    if transfer != other.transfer {
      found.append(Difference(own: transfer.shownName, other: other.transfer.shownName))
    }
    for property in [\PictureMeaning.primaries, \.matrix, \.range] {
      let (own, others) = (self[keyPath: property], other[keyPath: property])
      guard own.value != others.value else { continue }
      found.append(
        Difference(
          own: own.text, other: others.text, isUnstated: !own.isStated || !others.isStated))
    }
    if let profile, let others = other.profile, profile != others {
      found.append(Difference(own: "profile \(profile)", other: "profile \(others)"))
    }
    // A stream that does not state its chroma location can be joined with any other.
    if let chroma, let others = other.chroma, chroma != others {
      found.append(Difference(own: chroma, other: others))
    }
    return found
  }
}

extension ColorSpace.Transfer {
  /// The usual name, for messages.
  fileprivate var shownName: String {
    switch self {
    case .standard: "SDR"
    case .perceptualQuantizer: "HDR (PQ)"
    case .hybridLogGamma: "HDR (HLG)"
    }
  }
}
