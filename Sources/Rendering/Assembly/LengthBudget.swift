/// How much of a file may still be written, where its length is limited.
///
/// The container's headers and its index are counted by an upper bound, so that a file ends a little below its limit
/// and never above it.
struct LengthBudget {
  /// The most bytes of the file.
  let limit: Int
  /// The most frames that there is room for in the index.
  let frameLimit: Int
  /// Bytes besides the packets.
  let overhead: Int
  /// Bytes of the packets of pictures so far.
  private(set) var pictures = 0

  /// Whether more pictures fit.
  ///
  /// - Parameters:
  ///   - bytes: the pictures' own.
  ///   - frames: how many there are with those before.
  ///   - sound: the bytes of all sound up to the end of the last picture.
  func holds(_ bytes: Int, frames: Int, sound: Int) -> Bool {
    frames <= frameLimit && overhead + pictures + bytes + sound <= limit
  }

  /// Counts pictures that are written.
  mutating func take(_ bytes: Int) { pictures += bytes }
}
