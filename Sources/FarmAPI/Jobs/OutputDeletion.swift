import Foundation

/// A finished file that the farm deleted while it kept the job.
public struct OutputDeletion: Hashable, Codable, Sendable {
  /// The file name under which it was saved.
  public var fileName: String
  /// The number of bytes that it had.
  public var byteCount: Int64
  /// The time when it was deleted.
  public var deletedAt: Date
  /// The reason, as a clause that follows "because".
  public var reason: String

  /// Creates a description of a deleted file.
  public init(fileName: String, byteCount: Int64, deletedAt: Date, reason: String) {
    self.fileName = fileName
    self.byteCount = byteCount
    self.deletedAt = deletedAt
    self.reason = reason
  }

  /// A sentence without its period: "output deleted on 2026-11-25 because …".
  public var sentence: String {
    "output deleted on \(deletedAt.formatted(.iso8601.year().month().day())) because \(reason)"
  }
}
