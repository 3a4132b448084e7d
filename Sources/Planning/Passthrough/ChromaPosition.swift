import Timeline

/// The location of chroma samples, as AV1 sequence headers state it (AV1 specification, 6.4.2,
/// `chroma_sample_position`).
enum ChromaPosition: Int {
  /// At the left of two pixels, halfway between two rows.
  case left = 1
  /// At the top left of four pixels.
  case topLeft = 2

  /// SVT-AV1's name.
  var encoderName: String {
    switch self {
    case .left: "left"
    case .topLeft: "topleft"
    }
  }

  /// The name in messages.
  var shownName: String {
    switch self {
    case .left: "chroma at the left"
    case .topLeft: "chroma at the top left"
    }
  }
}

extension CopyPoints {
  /// The chroma location that the stream states; `nil` if it states none, and for codecs other than AV1.
  var statedChromaPosition: ChromaPosition? {
    chromaPosition.flatMap(ChromaPosition.init(rawValue:))
  }
}
