/// The lowest mean rate of a fetch. A server that sends just enough to keep a connection open would otherwise hold a
/// place for years.
package struct FetchPace: Hashable, Sendable {
  /// How long a fetch may take in addition to the time that its bytes take at the lowest rate.
  package var grace = Duration.seconds(120)
  /// The lowest mean rate, in bytes per second.
  package var bytesPerSecond: Int64 = 16_384

  /// Two minutes of grace, and 16 KiB per second.
  package init() {}

  /// How long a fetch may have taken when the given number of bytes have arrived.
  func allowance(for byteCount: Int64) -> Duration {
    grace + .seconds(Double(byteCount) / Double(bytesPerSecond))
  }

  /// The failure of a slower fetch. The server may be faster a little later.
  var failure: FetchFailure {
    FetchFailure(
      "the file arrives at less than \(bytesPerSecond) bytes per second on average", isPassing: true
    )
  }
}
