/// The segments of live jobs that show the same: one of them is rendered, and the others get its chunk.
struct ContentRecord: Sendable {
  /// Their places by job.
  var places: [JobID: [Int]] = [:]
  /// How many of them are leased, by fingerprint.
  var leased: [String: Int] = [:]
  /// The one whose chunk was accepted last, by fingerprint. It may be gone or refused since.
  var delivered: [String: SegmentID] = [:]
}
