/// Keeps track of how much more may be written to a file whose length is limited.
///
/// The container's headers and its index are counted by an upper bound, so the file ends slightly below its limit and
/// never above it.
struct LengthBudget {
  /// The maximum size of the file in bytes.
  let limit: Int
  /// The maximum number of frames for which the index has room.
  let frameLimit: Int
  /// The bytes of everything except packets.
  let overhead: Int
  /// The bytes of the pictures' packets so far.
  private(set) var pictures = 0

  /// Whether more pictures fit.
  ///
  /// - Parameters:
  ///   - bytes: the size of the pictures' packets.
  ///   - frames: the number of frames, including those before.
  ///   - sound: the bytes of all sound up to the end of the last picture.
  func holds(_ bytes: Int, frames: Int, sound: Int) -> Bool {
    frames <= frameLimit && overhead + pictures + bytes + sound <= limit
  }

  /// Counts the bytes of written pictures.
  mutating func take(_ bytes: Int) { pictures += bytes }
}
