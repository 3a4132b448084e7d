/// The identical segments of live jobs: one of them is rendered, and the others get its chunk.
struct ContentRecord: Sendable {
  /// Their places by job.
  var places: [JobID: [Int]] = [:]
  /// The number of them that are leased, by fingerprint.
  var leased: [String: Int] = [:]
  /// The segment whose chunk was accepted last, by fingerprint. The chunk may have been dropped since.
  var delivered: [String: SegmentID] = [:]
}
