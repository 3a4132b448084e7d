/// The header of a slice of H.264 (ITU-T H.264, 7.3.3), without its rarer forms: fields, slices that switch streams,
/// and long-term references.
package struct SliceHeader: Hashable, Sendable {
  /// How a slice is predicted, with its number.
  package enum Prediction: Int {
    /// From one list of references.
    case fromOne
    /// From two lists.
    case fromTwo
    /// Within the picture.
    case within
  }

  /// A command that moves a reference to the next place of a list (7.3.3.1): the distance between two picture numbers.
  package struct Move: Hashable, Sendable {
    /// Whether the number increases.
    package var isUpward: Bool
    /// The distance, at least 1.
    package var distance: Int

    package init(isUpward: Bool, distance: Int) {
      (self.isUpward, self.distance) = (isUpward, distance)
    }
  }

  /// The picture set that the slice refers to.
  package let picture: PictureParameters
  /// The sequence set that the picture set refers to.
  package let sequence: SequenceParameters
  /// Whether other pictures may refer to the slice's picture.
  package let isReference: Bool
  /// Whether the picture resets the decoder (IDR).
  package let isReset: Bool
  /// Whether it is a P, B or I slice.
  package let prediction: Prediction
  /// The number of the frame.
  package let number: Int
  /// The lowest bits of the place of the frame's first field in presentation order; 0 if the sequence has none.
  package private(set) var order = 0
  /// The place of the second field after that of the first.
  package private(set) var fieldDistance = 0
  /// Whether motion that is not coded is predicted from neighboring blocks rather than from a reference picture.
  package private(set) var isDirectSpatial = true
  /// The number of active references in each list that the slice has.
  package private(set) var activeReferences: [Int] = []
  /// The moves in each list; `nil` if the list is in its usual order.
  package private(set) var moves: [[Move]?] = []
  /// The distances of the picture numbers of references that the picture releases; `nil` if the oldest is released when
  /// there are too many.
  package private(set) var releases: [Int]?

  /// The places of fields in bits of the unit without escapes.
  package struct Layout: Hashable, Sendable {
    /// The first bit of the frame's number.
    package var number = 0
    /// The bit before which an IDR picture has its id.
    package var id = 0
    /// The moves in all lists.
    package var moves = 0..<0
    /// The releases, and the same field of an IDR picture.
    package var releases = 0..<0
    /// The end of the header.
    package var end = 0
  }

  /// The places of fields.
  package private(set) var layout = Layout()

  /// Reads the header of a slice; `nil` if it is cut short or has one of the rarer forms.
  ///
  /// - Parameter unit: the start of the unit without escapes.
  package init?(_ unit: [UInt8], _ sets: PictureSets) {
    guard let first = unit.first else { return nil }
    var reader = BitReader(unit[...])
    isReference = first & 0x60 != 0
    isReset = first & 0x1F == 5
    reader.skip(8)
    _ = reader.unsigned()
    guard let prediction = Prediction(rawValue: reader.unsigned() % 5),
      let (picture, sequence) = sets.pair(of: reader.unsigned())
    else { return nil }
    (self.prediction, self.picture, self.sequence) = (prediction, picture, sequence)
    if sequence.separatesColors { reader.skip(2) }
    layout.number = reader.place
    number = reader.number(sequence.numberBits)
    if !sequence.hasOnlyFrames, reader.flag() { return nil }
    layout.id = reader.place
    if isReset { _ = reader.unsigned() }
    if let bits = sequence.orderBits {
      order = reader.number(bits)
      if picture.hasFieldOrder { fieldDistance = reader.signed() }
    }
    guard readReferences(&reader), reader.isWithin else { return nil }
    if picture.isArithmetic, prediction != .within { _ = reader.unsigned() }
    _ = reader.signed()
    if picture.hasDeblocking, reader.unsigned() != 1 { _ = (reader.signed(), reader.signed()) }
    layout.end = reader.place
    guard reader.isWithin else { return nil }
  }

  /// Reads the fields about reference pictures; `false` if they have one of the rarer forms.
  private mutating func readReferences(_ reader: inout BitReader) -> Bool {
    if prediction == .fromTwo { isDirectSpatial = reader.flag() }
    let lists = prediction == .within ? 0 : prediction == .fromTwo ? 2 : 1
    activeReferences = Array(picture.activeReferences.prefix(lists))
    if lists > 0, reader.flag() {
      activeReferences = (0..<lists).map { _ in reader.unsigned() + 1 }
    }
    guard activeReferences.allSatisfy({ $0 <= 32 }) else { return false }
    var start = reader.place
    for _ in 0..<lists {
      guard let moves = Self.moves(&reader) else { return false }
      self.moves.append(moves)
    }
    layout.moves = start..<reader.place
    let isWeighted =
      prediction == .fromOne && picture.isWeighted
      || prediction == .fromTwo && picture.isWeightedTwice
    if isWeighted { skipWeights(&reader) }
    start = reader.place
    guard !isReference || readReleases(&reader) else { return false }
    layout.releases = start..<reader.place
    return true
  }

  /// Reads the moves in a list: an optional array in an optional, which is `nil` if they have a rarer form.
  private static func moves(_ reader: inout BitReader) -> [Move]?? {
    guard reader.flag() else { return .some(nil) }
    var moves: [Move] = []
    while reader.isWithin {
      switch reader.unsigned() {
      case 0: moves.append(Move(isUpward: false, distance: reader.unsigned() + 1))
      case 1: moves.append(Move(isUpward: true, distance: reader.unsigned() + 1))
      case 3: return .some(moves)
      default: return nil
      }
    }
    return nil
  }

  /// ITU-T H.264, 7.3.3.2.
  private func skipWeights(_ reader: inout BitReader) {
    _ = reader.unsigned()
    if sequence.chroma != 0 { _ = reader.unsigned() }
    for count in activeReferences {
      for _ in 0..<count {
        if reader.flag() { _ = (reader.signed(), reader.signed()) }
        guard sequence.chroma != 0, reader.flag() else { continue }
        for _ in 0..<4 { _ = reader.signed() }
      }
    }
  }

  /// ITU-T H.264, 7.3.3.3.
  private mutating func readReleases(_ reader: inout BitReader) -> Bool {
    if isReset {
      reader.skip(1)
      return !reader.flag()
    }
    guard reader.flag() else { return true }
    var distances: [Int] = []
    while reader.isWithin {
      switch reader.unsigned() {
      case 0:
        releases = distances
        return true
      case 1: distances.append(reader.unsigned() + 1)
      default: return false
      }
    }
    return false
  }
}
