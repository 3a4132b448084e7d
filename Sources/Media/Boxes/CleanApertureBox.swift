import Timeline

/// A clean aperture in the form of QuickTime and MP4 files (`clap`, ISO/IEC 14496-12, 12.1.4), which libavformat 5.1
/// does not write.
struct CleanApertureBox {
  let bytes: [UInt8]
  private static let greatestDenominator = 10_000

  /// The box for a rectangle in pictures of a size; `nil` if its numbers cannot be written as fractions.
  init?(_ aperture: PixelRect, of size: PixelSize) {
    let values = [
      aperture.width, aperture.height,
      aperture.x + (aperture.width - Double(size.width)) / 2,
      aperture.y + (aperture.height - Double(size.height)) / 2,
    ]
    var numbers: [Int32] = []
    for value in values {
      guard let (numerator, denominator) = Self.fraction(value) else { return nil }
      numbers += [numerator, denominator]
    }
    bytes =
      Self.number(UInt32(8 + 4 * numbers.count)) + Array("clap".utf8)
      + numbers.flatMap { Self.number(UInt32(bitPattern: $0)) }
  }

  /// The value as a fraction with the smallest possible denominator.
  private static func fraction(_ value: Double) -> (Int32, Int32)? {
    for denominator in 1...greatestDenominator {
      let scaled = value * Double(denominator)
      guard (scaled - scaled.rounded()).magnitude < 1e-7 else { continue }
      return Int32(exactly: scaled.rounded()).map { ($0, Int32(denominator)) }
    }
    return nil
  }

  /// The movie box with this box at the end of a track's first sample entry; `nil` if the movie has no such entry.
  ///
  /// - Parameters:
  ///   - movie: a whole `moov` box.
  ///   - track: the index of the track in the movie.
  func inserted(into movie: [UInt8], track: Int) -> [UInt8]? {
    var movie = movie
    var place = 0
    var ancestors = [0]
    // Each box's type, the size of its parent's header, and its index among the boxes of that type.
    for (type, skipped, number) in [
      ("trak", 8, track), ("mdia", 8, 0), ("minf", 8, 0), ("stbl", 8, 0), ("stsd", 8, 0),
    ] {
      guard let found = Self.box(type, number, of: movie, in: place, after: skipped) else {
        return nil
      }
      ancestors.append(found)
      place = found
    }
    // Version, flags and count of entries come first.
    let entry = place + 16
    guard let end = Self.end(of: entry, in: movie) else { return nil }
    for box in ancestors + [entry] {
      let length = Self.length(at: box, in: movie) + UInt32(bytes.count)
      movie.replaceSubrange(box..<box + 4, with: Self.number(length))
    }
    movie.insert(contentsOf: bytes, at: end)
    return movie
  }

  private static func box(
    _ type: String, _ number: Int, of bytes: [UInt8], in parent: Int, after skipped: Int
  ) -> Int? {
    guard let limit = end(of: parent, in: bytes) else { return nil }
    var (place, number) = (parent + skipped, number)
    while place + 8 <= limit, let next = end(of: place, in: bytes) {
      if bytes[place + 4..<place + 8].elementsEqual(type.utf8) {
        if number == 0 { return place }
        number -= 1
      }
      place = next
    }
    return nil
  }

  private static func length(at place: Int, in bytes: [UInt8]) -> UInt32 {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The end of a box; `nil` if it is not a box with a 32-bit length.
  private static func end(of place: Int, in bytes: [UInt8]) -> Int? {
    guard place + 8 <= bytes.count else { return nil }
    let length = Int(length(at: place, in: bytes))
    return length >= 8 && length <= bytes.count - place ? place + length : nil
  }

  static func number(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
