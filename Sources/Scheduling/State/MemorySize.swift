/// The sizes of memory that the scheduler distinguishes.
///
/// There are sixteen sizes per power of two, so that a job with thousands of segments has few sizes to search.
enum MemorySize {
  /// A pebibyte: more than any worker has, and little enough to add up for many leases.
  private static let largest = 1 << 50

  /// Rounds a number of bytes up to the next size, by at most a sixteenth.
  static func roundingUp(_ bytes: Int) -> Int {
    guard bytes < largest else { return largest }
    guard bytes > 16 else { return max(bytes, 0) }
    let step = 1 << max(Int.bitWidth - 1 - bytes.leadingZeroBitCount - 4, 0)
    return (bytes + step - 1) & ~(step - 1)
  }
}
