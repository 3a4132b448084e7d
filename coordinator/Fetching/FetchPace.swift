/// The minimum average rate of a download. Without it, a server that sends just enough to keep a connection open could
/// occupy a slot for years.
package struct FetchPace: Hashable, Sendable {
  /// The time that a download may take in addition to the time that its bytes take at the minimum rate.
  package var grace = Duration.seconds(120)
  /// The minimum average rate in bytes per second.
  package var bytesPerSecond: Int64 = 16_384

  /// Creates a pace of 16 KiB per second after two minutes of grace.
  package init() {}

  /// The time that a download may have taken when a number of bytes have arrived.
  func allowance(for byteCount: Int64) -> Duration {
    grace + .seconds(Double(byteCount) / Double(bytesPerSecond))
  }

  /// The failure of a slower download. The server may be faster later.
  var failure: FetchFailure {
    FetchFailure(
      "the average download rate is below \(bytesPerSecond) bytes per second", isPassing: true)
  }
}
