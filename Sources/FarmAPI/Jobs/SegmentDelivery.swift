import Foundation

/// Who delivered a segment's chunk. A chunk of an earlier job was delivered for that job.
public struct SegmentDelivery: Hashable, Codable, Sendable {
  /// The name that the worker registered with.
  public var worker: String
  /// The name of the token that it showed; `nil` if no token was needed.
  public var token: String?
  /// When the chunk was accepted.
  public var deliveredAt: Date

  /// Records that a worker delivered a chunk.
  public init(worker: String, token: String?, deliveredAt: Date) {
    self.worker = worker
    self.token = token
    self.deliveredAt = deliveredAt
  }
}
