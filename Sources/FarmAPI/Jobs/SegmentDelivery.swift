import Foundation

/// The delivery of a segment's chunk by a worker. A reused chunk keeps the delivery of the earlier job.
public struct SegmentDelivery: Hashable, Codable, Sendable {
  /// The name that the worker registered with.
  public var worker: String
  /// The name of the worker's token; `nil` if no token was needed.
  public var token: String?
  /// The time at which the chunk was accepted.
  public var deliveredAt: Date

  /// Creates a delivery.
  public init(worker: String, token: String?, deliveredAt: Date) {
    self.worker = worker
    self.token = token
    self.deliveredAt = deliveredAt
  }
}
