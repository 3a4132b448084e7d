import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import Preparation
import Scheduling
import sheaf_coordinator

extension MemoryLedger {
  func insert(
    _ id: JobID, _ submission: StoredSubmission, under key: SubmissionKey?,
    by submitter: String?, limits: JobLimits, at date: Date
  ) throws {
    try change { records in
      guard records.jobs[id] == nil else { throw LedgerError(.final, "there is a job \(id)") }
      records.lastJob += 1
      var job = MemoryRecords.Job(
        id: id, number: records.lastJob, submission: submission, key: key,
        submitter: submitter, limits: limits, createdAt: date, priority: submission.priority ?? 0)
      job.assets = try submission.uploaded()
      records.jobs[id] = job
    }
  }

  func adopt(_ submission: StoredSubmission, of id: JobID) throws {
    try change { records in
      records.jobs[id]?.submission = submission
      records.jobs[id]?.assets = try submission.uploaded()
    }
  }

  // No earlier release kept anything here.
  func unadopted(_ id: JobID) -> (submission: Data?, plan: Data?) { (nil, nil) }

  func jobsToAdopt() -> [JobID] { [] }

  func job(under key: IdempotencyKey, by submitter: String?) -> (id: JobID, body: Digest?)? {
    records.orderedJobs.first { $0.key?.key == key && $0.submitter == submitter }
      .map { ($0.id, $0.key?.body) }
  }

  func job(_ id: JobID) -> JobRow? {
    let records = records
    return records.jobs[id].map(records.row)
  }

  func jobs(of submitter: String?, before earlier: JobID?, limit: Int?) -> [JobRow] {
    let records = records
    let end = earlier.map { records.jobs[$0]?.number ?? 0 } ?? .max
    let jobs = records.orderedJobs.reversed().filter {
      (submitter == nil || $0.submitter == submitter) && $0.number < end
    }
    return jobs.prefix(limit ?? .max).map(records.row)
  }

  func jobsWithoutOutput() -> [JobID] {
    records.orderedJobs.filter { $0.output == nil }.map(\.id)
  }

  func endedJobs(before date: Date, withOutput: Bool) -> [JobID] {
    let jobs = records.jobs.values.filter { job in
      job.state.isFinal && (job.finishedAt ?? .distantFuture) < date
        && (!withOutput || job.state == .completed && job.output != nil)
    }
    return jobs.sorted {
      ($0.finishedAt ?? .distantPast, $0.number) < ($1.finishedAt ?? .distantPast, $1.number)
    }.map(\.id)
  }

  func jobCounts() -> [JobState: Int] {
    Dictionary(grouping: records.jobs.values, by: \.state).mapValues(\.count)
  }

  func unfinishedJobs() -> [JobRow] {
    let records = records
    return records.orderedJobs.filter { !$0.state.isFinal }.map(records.row)
  }

  func unfinishedJobCount(of submitter: String?) -> Int {
    records.jobs.values.count { !$0.state.isFinal && $0.submitter == submitter }
  }

  func segmentCount(besides id: JobID) -> Int {
    let records = records
    let submitter = records.jobs[id]?.submitter
    return records.jobs.values
      .filter { !$0.state.isFinal && $0.id != id && $0.submitter == submitter }
      .reduce(0) { $0 + $1.work.segments.count }
  }

  func submittedAssets(since date: Date) -> Set<Digest> {
    let jobs = records.jobs.values.filter {
      !$0.state.isFinal || $0.state.isWithoutFile && ($0.finishedAt ?? .distantPast) >= date
    }
    return jobs.reduce(into: []) { $0.formUnion($1.allAssets) }
  }

  func submittedAssets(of id: JobID) -> Set<Digest> { records.jobs[id]?.allAssets ?? [] }

  func submissionSize(of id: JobID) -> Int { records.jobs[id]?.submission.assets.count ?? 0 }

  func storedSubmission(of id: JobID) -> StoredSubmission? {
    guard let job = records.jobs[id] else { return nil }
    return StoredSubmission(
      name: job.submission.name, priority: job.priority,
      project: job.submission.project, head: job.submission.head, assets: job.submission.assets,
      fetched: job.fetched)
  }

  func assets(of id: JobID) throws -> [(name: String, asset: AssetReference)] {
    try storedAssets(of: id).decoded()
  }

  func storedAssets(of id: JobID) -> StoredAssets {
    storedSubmission(of: id).map { .submission($0) } ?? .none
  }

  func names(_ asset: Digest, in id: JobID) throws -> Bool {
    try assets(of: id).contains { $0.asset.digest == asset }
  }

  func rerenders(_ id: JobID) throws -> Bool? {
    try storedSubmission(of: id).map { try $0.facts().rerenders ?? false }
  }

  func isInOrder(_ id: JobID) throws -> Bool {
    try storedSubmission(of: id)?.facts().inOrder ?? false
  }

  func recentJobs(of submitter: String?, last count: Int) -> [JobID] {
    let jobs = records.orderedJobs.filter { submitter == nil || $0.submitter == submitter }
    let recent = Set(jobs.suffix(count).map(\.id))
    return jobs.filter { !$0.state.isFinal || recent.contains($0.id) }.map(\.id)
  }

  func isTrusted(lostOutputOf job: JobRow) -> Bool { records.isTrusted(job) }
}

extension MemoryRecords.Job {
  /// The uploaded and fetched assets, and the plan's pictures.
  fileprivate var allAssets: Set<Digest> { assets.union(fetched.values.map(\.digest)) }
}

extension StoredSubmission {
  /// The uploaded files.
  fileprivate func uploaded() throws -> Set<Digest> {
    Set(try facts().assets.compactMap(\.reference).filter { $0.path == nil }.map(\.digest))
  }
}
