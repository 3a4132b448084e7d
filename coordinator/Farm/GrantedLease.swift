import FarmAPI
import Foundation
import Scheduling

/// The part of a lease that is not in the plan. Its members are named like those of `Lease`.
struct LeaseTerms: Encodable, Sendable {
  var token: String
  var job: String
  var segment: Int
  var attempt: Int
  var durationMilliseconds: Int
  var heartbeatMilliseconds: Int
  var memory: Int?
  var assets: [LeasedAsset]
}

/// A granted lease that has not been sent to its worker yet.
package struct GrantedLease: Sendable {
  let token: LeaseToken
  let terms: LeaseTerms
  /// The rest of the message: a JSON object with the description, as the planning process wrote it.
  let content: Data

  /// The interval of the heartbeats under a lease: short enough for live progress, and much shorter than the lease. On a
  /// farm of more than 1,000 workers, it grows with their number.
  package static func heartbeatInterval(ofWorkers count: Int, lease: Duration) -> Duration {
    min(lease / 3, max(.seconds(2), .milliseconds(2) * count))
  }

  /// The message: a `Lease` as JSON, joined from both parts without parsing the content.
  func message() throws -> Data {
    try FarmCoding.encode(terms).dropLast() + Data([UInt8(ascii: ",")]) + content.dropFirst()
  }
}
