/// A job's id.
public struct JobID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The id's text.
  public let rawValue: String
  /// Creates an id from its text.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The id's text.
  public var description: String { rawValue }
}

/// A worker's id, given when it registers.
public struct WorkerID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The id's text.
  public let rawValue: String
  /// Creates an id from its text.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The id's text.
  public var description: String { rawValue }
  /// Compares ids by their text.
  public static func < (a: WorkerID, b: WorkerID) -> Bool { a.rawValue < b.rawValue }
}

/// The proof that a lease belongs to a worker. Unguessable, and supplied from outside.
public struct LeaseToken: RawRepresentable, Hashable, Sendable {
  /// The token's text.
  public let rawValue: String
  /// Creates a token from its text.
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// One wait of a worker for a lease; earlier ones have smaller numbers and are served first.
public struct RequestID: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number, which grows with each wait.
  public let rawValue: UInt64
  /// Creates a request id from its number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
  /// Orders earlier requests first.
  public static func < (a: RequestID, b: RequestID) -> Bool { a.rawValue < b.rawValue }
}

/// A segment of a job.
public struct SegmentID: Hashable, Sendable {
  /// The job.
  public var job: JobID
  /// The segment's index in the plan, from 0.
  public var index: Int

  /// Creates the id of the segment `index` of `job`.
  public init(job: JobID, index: Int) {
    self.job = job
    self.index = index
  }
}
