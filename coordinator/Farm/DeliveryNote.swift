import Crypto
import Foundation
import Scheduling

/// The facts about a delivery that are stored with the chunk's object, so that the chunk can be accepted again if the
/// ledger's server loses the commit that accepted it.
struct DeliveryNote: Hashable, Sendable {
  /// The ledger's position when the delivery began.
  let position: LedgerPosition
  let grant: Grant
  let deliverer: Deliverer
  /// The plan of the job.
  let plan: Digest
  /// The time when the delivery began.
  let date: Date

  /// The stored form: JSON in Base64, because the metadata of objects must be ASCII.
  private struct Record: Codable {
    var ledger: String
    var commits: Int
    var token: String
    var worker: String
    var job: String
    var segment: Int
    var attempt: Int
    var isCopy: Bool
    var delivererToken: String?
    var delivererName: String?
    var plan: Digest
    var date: Double
  }

  init(
    position: LedgerPosition, grant: Grant, deliverer: Deliverer, plan: Digest, date: Date
  ) {
    (self.position, self.grant, self.deliverer) = (position, grant, deliverer)
    (self.plan, self.date) = (plan, date)
  }

  /// Reads a note; `nil` if the text is not a note.
  init?(_ text: String) {
    guard let data = Data(base64Encoded: text),
      let record = try? JSONDecoder().decode(Record.self, from: data)
    else { return nil }
    position = LedgerPosition(ledger: record.ledger, commits: record.commits)
    grant = Grant(
      token: LeaseToken(rawValue: record.token), worker: WorkerID(rawValue: record.worker),
      segment: SegmentID(job: JobID(rawValue: record.job), index: record.segment),
      attempt: record.attempt, isCopy: record.isCopy)
    deliverer = Deliverer(token: record.delivererToken, name: record.delivererName)
    (plan, date) = (record.plan, Date(timeIntervalSince1970: record.date))
  }

  /// The note in its stored form, which has less than 1 KB. Stores accept 2 KB of metadata with an object.
  var text: String? {
    let record = Record(
      ledger: position.ledger, commits: position.commits, token: grant.token.rawValue,
      worker: grant.worker.rawValue, job: grant.segment.job.rawValue,
      segment: grant.segment.index, attempt: grant.attempt, isCopy: grant.isCopy,
      delivererToken: deliverer.token, delivererName: deliverer.name, plan: plan,
      date: date.timeIntervalSince1970)
    return (try? JSONEncoder().encode(record))?.base64EncodedString()
  }
}
