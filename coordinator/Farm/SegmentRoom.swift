import Scheduling

/// Decides which planned jobs may be rendered, so that their segments together stay within a limit. The coordinator
/// keeps a record of each of these segments in memory.
///
/// The next job is that of the submitter with the fewest segments; among equals, the one that has waited the longest. A
/// submitter's further jobs never take more than half of the room that other submitters leave.
package struct SegmentRoom {
  private struct Share {
    let submitter: String?
    let count: Int
  }

  /// The maximum number of segments of all admitted jobs.
  package let limit: Int
  private var admitted: [JobID: Share] = [:]
  private var waiting: [(job: JobID, share: Share)] = []

  package init(limit: Int) { self.limit = limit }

  /// The number of segments of all admitted jobs.
  package var count: Int { admitted.values.reduce(0) { $0 + $1.count } }

  /// Whether a job may be rendered.
  package func contains(_ job: JobID) -> Bool { admitted[job] != nil }

  /// The number of segments with which a job was admitted; `nil` if it was not.
  package func count(of job: JobID) -> Int? { admitted[job]?.count }

  /// Admits a job regardless of the limit, because it was admitted before.
  package mutating func readmit(_ job: JobID, of submitter: String?, _ count: Int) {
    admitted[job] = Share(submitter: submitter, count: count)
  }

  /// Adds a job to the waiting jobs.
  package mutating func enqueue(_ job: JobID, of submitter: String?, _ count: Int) {
    stopWaiting(job)
    waiting.append((job, Share(submitter: submitter, count: count)))
  }

  /// Removes a job from the waiting jobs.
  package mutating func stopWaiting(_ job: JobID) { waiting.removeAll { $0.job == job } }

  /// Removes a job that has ended.
  package mutating func remove(_ job: JobID) {
    admitted[job] = nil
    stopWaiting(job)
  }

  /// Admits the next waiting job if it fits, and returns it.
  package mutating func admitNext() -> JobID? {
    var held: [String?: Int] = [:]
    for share in admitted.values { held[share.submitter, default: 0] += share.count }
    let total = held.values.reduce(0, +)
    var seen: Set<String?> = []
    let order = waiting.indices.sorted {
      (held[waiting[$0].share.submitter] ?? 0, $0) < (held[waiting[$1].share.submitter] ?? 0, $1)
    }
    for index in order where seen.insert(waiting[index].share.submitter).inserted {
      let (job, share) = waiting[index]
      let own = held[share.submitter] ?? 0
      // If this condition fails, only the end of one of the submitter's own jobs makes room.
      guard own == 0 || own + share.count <= (limit - (total - own)) / 2 else { continue }
      // Smaller jobs do not overtake a job that is waiting for room: it could wait forever. A job that exceeds the
      // limit, which a restart may have lowered, is rendered alone.
      guard total == 0 || total + share.count <= limit else { return nil }
      waiting.remove(at: index)
      admitted[job] = share
      return job
    }
    return nil
  }
}
