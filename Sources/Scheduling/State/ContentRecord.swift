/// The identical segments of live jobs: one of them is rendered, and the others get its chunk.
struct ContentRecord: Sendable {
  /// The indexes of the segments, by job.
  var places: [JobID: [Int]] = [:]
  /// The number of leased ones among them, by fingerprint.
  var leased: [String: Int] = [:]
  /// The segment whose chunk was accepted most recently, by fingerprint. The chunk may have been dropped since.
  var delivered: [String: SegmentID] = [:]
  /// The delivered chunk that waiting segments have not received yet, if any.
  var shared: SharedSource?
}

/// Where waiting segments get a delivered chunk from.
enum SharedSource: Hashable, Sendable {
  /// From a segment whose chunk was just accepted.
  case accepted(SegmentID)
  /// From any segment that has a chunk of the fingerprint that their job is bound to, or that workers serve.
  case any
}
