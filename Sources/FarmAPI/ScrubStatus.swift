import Foundation

/// The progress of the coordinator's search for damaged files: the response to `GET /scrub`.
public struct ScrubStatus: Hashable, Codable, Sendable {
  /// The limit on bytes read per second; 0 if the search is off.
  public var bytesPerSecond: Int64
  /// The number of complete passes since the coordinator started.
  public var passes = 0
  /// The end of the last complete pass.
  public var finishedAt: Date?
  /// The number of files in the current pass.
  public var files = 0
  /// The number of those files that have been read.
  public var filesRead = 0
  /// The size of the files in the current pass in bytes, without the parts that damage left unread.
  public var bytes: Int64 = 0
  /// The number of those bytes that have been read.
  public var bytesRead: Int64 = 0
  /// The number of bytes read since the coordinator started.
  public var totalBytesRead: Int64 = 0
  /// The number of damaged files found since the coordinator started.
  public var damagedFiles = 0

  /// Creates the status of a search that has not read anything yet.
  public init(bytesPerSecond: Int64) { self.bytesPerSecond = bytesPerSecond }
}
