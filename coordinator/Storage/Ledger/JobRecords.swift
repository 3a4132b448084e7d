import Crypto
import FarmAPI
import Foundation
import Scheduling

/// The ledger's records of jobs and their files.
package protocol JobRecords {
  /// Inserts a job, with its submitter if it has one. The project's text is already in a file.
  func insert(
    _ id: JobID, _ submission: StoredSubmission, under key: SubmissionKey?,
    by submitter: String?, limits: JobLimits, at date: Date
  ) throws

  /// Updates a job that an earlier release accepted, after its project was moved into a file.
  func adopt(_ submission: StoredSubmission, of id: JobID) throws

  /// The parts of a job that an earlier release kept in the ledger and that have not been moved into files.
  func unadopted(_ id: JobID) throws -> (submission: Data?, plan: Data?)

  /// The unfinished jobs whose plans an earlier version kept in the ledger, oldest first.
  func jobsToAdopt() throws -> [JobID]

  /// The job that was submitted under a key, with or without a submitter, and the SHA-256 of its submission.
  func job(
    under key: IdempotencyKey, by submitter: String?
  ) throws -> (id: JobID, body: Digest?)?

  /// A job, if one has the id.
  func job(_ id: JobID) throws -> JobRow?

  /// All jobs, or all jobs of a submitter, newest first.
  ///
  /// - Parameters:
  ///   - earlier: return only jobs older than the one with this id.
  ///   - limit: the maximum number of jobs.
  func jobs(
    of submitter: String?, before earlier: JobID?, limit: Int?
  ) throws -> [JobRow]

  /// The jobs that were never completed. A completed job that has lost its file is not included: the file may come
  /// back.
  func jobsWithoutOutput() throws -> [JobID]

  /// The jobs that ended before a date, the oldest first.
  ///
  /// - Parameter withOutput: whether to return only completed jobs that have their finished file.
  func endedJobs(before date: Date, withOutput: Bool) throws -> [JobID]

  /// The number of jobs in each state.
  func jobCounts() throws -> [JobState: Int]

  /// The jobs that have not ended, oldest first.
  func unfinishedJobs() throws -> [JobRow]

  /// The number of a submitter's unfinished jobs, or of those without a submitter.
  func unfinishedJobCount(of submitter: String?) throws -> Int

  /// The number of segments that the unfinished jobs of a job's submitter have.
  func segmentCount(besides id: JobID) throws -> Int

  /// The uploaded and fetched assets of unfinished jobs, and of jobs that ended without a file after a date and may be
  /// retried.
  func submittedAssets(since date: Date) throws -> Set<Digest>

  /// The uploaded and fetched assets of one job.
  func submittedAssets(of id: JobID) throws -> Set<Digest>

  /// The number of bytes that the ledger stores about the files of a job's project.
  func submissionSize(of id: JobID) throws -> Int

  /// The submission of a job, including the assets that were fetched for it, but without its project, which is in a
  /// file.
  func storedSubmission(of id: JobID) throws -> StoredSubmission?

  /// The assets of a job that are on this host, by their names in the project.
  func assets(of id: JobID) throws -> [(name: String, asset: AssetReference)]

  /// The assets of a job as the ledger stores them.
  func storedAssets(of id: JobID) throws -> StoredAssets

  /// Whether a job's project names an asset that is on this host.
  func names(_ asset: Digest, in id: JobID) throws -> Bool

  /// Whether all segments of a job are rendered, without reusing chunks.
  func rerenders(_ id: JobID) throws -> Bool?

  /// Whether a job's segments are rendered in timeline order.
  func isInOrder(_ id: JobID) throws -> Bool

  /// The unfinished jobs and the most recent jobs in any state, oldest first.
  ///
  /// - Parameters:
  ///   - submitter: return only this submitter's jobs; `nil` for every job.
  ///   - count: the number of most recent jobs.
  func recentJobs(of submitter: String?, last count: Int) throws -> [JobID]

  /// Whether a job's lost file contains only chunks that have not been dropped since.
  ///
  /// A chunk that is no longer trusted is dropped from a failed job, and removes the record of a retried one.
  func isTrusted(lostOutputOf job: JobRow) throws -> Bool
}
