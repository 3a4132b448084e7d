import CoordinatorSupport
import Crypto
import FarmAPI
import Preparation
import Scheduling
import sheaf_coordinator

extension MemoryLedger {
  func dropConcealments(after digest: String, where isGone: (Digest) -> Bool) throws -> String? {
    try change { records in
      let range = records.concealments.keys.filter { $0.description > digest }
      let used = records.jobs.values.flatMap { job in
        let work =
          (!job.state.isWithoutFile || job.output != nil ? [job.work] : [])
          + [job.lost].compactMap(\.self)
        return work.flatMap { $0.segments.values.compactMap { $0.chunk?.sha256 } }
      }
      for chunk in Set(range).subtracting(used) where isGone(chunk) {
        records.concealments[chunk] = nil
      }
      return range.map(\.description).max()
    }
  }

  func concealedCounts(of jobs: [JobID]) -> [JobID: Int] {
    let records = records
    var counts: [JobID: Int] = [:]
    for id in jobs {
      guard let work = records.jobs[id]?.work else { continue }
      let count =
        work.segments.values.reduce(0) { $0 + records.concealedCount(of: $1.chunk) }
        + (work.sound?.count ?? 0)
      if count > 0 { counts[id] = count }
    }
    return counts
  }

  func firstConcealments(of job: JobID) -> ConcealmentPage {
    var page = ConcealmentPage(limit: JobStatus.concealedLimit)
    let lists = lists(of: job)
    for (list, firstFrame) in lists.pictures.prefix(page.limit) {
      page.sections.append(ConcealmentPage.Section(list: list.first, firstFrame: firstFrame))
    }
    if let sound = lists.sound {
      page.sections.append(ConcealmentPage.Section(list: sound.first))
    }
    return page
  }

  func concealments(of job: JobID, after skipped: Int, limit: Int) -> ConcealmentPage {
    var page = ConcealmentPage(limit: limit)
    var passed = 0
    let lists = lists(of: job)
    for (list, firstFrame) in lists.pictures + (lists.sound.map { [($0, 0)] } ?? []) {
      if passed < skipped + limit, passed + list.count > skipped {
        page.sections.append(
          ConcealmentPage.Section(
            list: list.list, firstFrame: firstFrame, skipped: max(0, skipped - passed)))
      }
      passed += list.count
    }
    return page
  }

  /// The lists of a job's damaged pictures, each with the output frame from which it counts, and of its damaged sound.
  private func lists(
    of job: JobID
  ) -> (pictures: [(list: StoredConcealments, firstFrame: Int)], sound: StoredConcealments?) {
    let records = records
    let pictures = (records.jobs[job]?.work.ordered ?? []).compactMap { _, segment in
      segment.chunk.flatMap { records.concealments[$0.sha256] }.map {
        (list: $0, firstFrame: segment.planned.frames.lowerBound)
      }
    }
    return (pictures, records.jobs[job]?.work.sound)
  }
}
