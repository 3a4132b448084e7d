import Timeline

/// The properties of a stream's pictures that decide how they are shown and that one file states once for all of them.
struct PictureMeaning {
  private let transfer: ColourSpace.Transfer
  private let primaries: String?
  private let matrix: String?
  private let range: String?
  private let profile: String?

  init(_ stream: VideoStream) {
    let colour = ColourSpace(stream.colour, size: stream.size)
    transfer = colour.transfer
    primaries = stream.colour.primaries.map { _ in colour.primaries.rawValue }
    matrix = stream.colour.matrix.map { _ in colour.matrix.rawValue }
    range = stream.colour.range
    profile = stream.codec == "prores" ? stream.copying?.profile : nil
  }

  /// The properties that differ from those of another stream, as both streams have them.
  ///
  /// Pictures that state no transfer are shown as standard dynamic range. Of the other properties, only those that both
  /// streams state are compared.
  func differences(from other: PictureMeaning) -> [(own: String, other: String)] {
    var found: [(own: String, other: String)] = []
    if transfer != other.transfer { found.append((transfer.shownName, other.transfer.shownName)) }
    func compare(_ property: KeyPath<PictureMeaning, String?>, _ text: (String) -> String) {
      guard let own = self[keyPath: property], let others = other[keyPath: property], own != others
      else { return }
      found.append((text(own), text(others)))
    }
    compare(\.primaries) { "\($0) primaries" }
    compare(\.matrix) { "\($0) matrix" }
    compare(\.range) { $0 == "pc" ? "full range" : "limited range" }
    compare(\.profile) { "profile \($0)" }
    return found
  }
}

extension ColourSpace.Transfer {
  /// The usual name, for messages.
  fileprivate var shownName: String {
    switch self {
    case .standard: "SDR"
    case .perceptualQuantizer: "HDR (PQ)"
    case .hybridLogGamma: "HDR (HLG)"
    }
  }
}
