import Crypto
import FarmAPI
import Foundation
import Planning
import Scheduling

/// The ledger's records of segments and of the damage that their chunks conceal.
package protocol SegmentRecords {
  /// The number of a job's segments in each state, and the frames of the completed ones.
  func progress(of job: JobID) throws -> JobProgress

  /// The segments of a job as the farm reports them, in order.
  ///
  /// - Parameters:
  ///   - index: return only the segments after this one.
  ///   - limit: the maximum number of segments.
  func segments(
    of job: JobID, after index: Int?, limit: Int
  ) throws -> [SegmentStatus]

  /// A drawing of a job's segments; `nil` if it has none.
  func drawing(of job: JobID) throws -> SegmentDrawing?

  /// How each segment of a job is made, in order; `nil` if an earlier version planned the job.
  func segmentKinds(of job: JobID) throws -> SegmentKinds?

  /// The segments of a job as the scheduler expects them.
  func entries(of job: JobID) throws -> [SegmentEntry]

  /// The accepted chunks of a job by segment.
  func chunks(of job: JobID) throws -> [Int: Digest]

  /// The number of a job's segments with reused chunks, which no worker delivered for it.
  func reusedCount(of job: JobID) throws -> Int

  /// The digest of the accepted chunk of a lease's segment, or of the held chunk that was delivered under the lease.
  /// The lease may have ended.
  func acceptedChunk(of token: LeaseToken) throws -> Digest?

  /// The chunks that jobs still need, and those that are kept for a retry or a later job: the ones needed after a date,
  /// most recent first, up to a number of bytes.
  func chunksToKeep(since date: Date, _ byteLimit: Int64) throws -> Set<Digest>

  /// The chunks that jobs still need, to finish or to be retried, and those that are kept for later jobs.
  func neededChunks() throws -> Set<Digest>

  /// The chunks of an ended job that neither another job nor a later one may use.
  func disposableChunks(of job: JobID) throws -> [Digest]

  /// Removes the records of missing chunks in a range of digests. The damaged media in a finished job's file stay
  /// recorded with the job even if the file is lost, because it may come back.
  ///
  /// - Parameters:
  ///   - digest: the hexadecimal digest after which the range begins.
  ///   - isGone: returns whether a chunk's file is missing.
  /// - Returns: the last digest of the range, or `nil` if no digest is larger than `digest`.
  func dropConcealments(
    after digest: String, where isGone: (Digest) -> Bool
  ) throws -> String?

  /// The number of damaged parts in the files of jobs. Jobs without any are left out.
  func concealedCounts(of jobs: [JobID]) throws -> [JobID: Int]

  /// The first damaged parts of a job's file, as many as its status shows, in the order of ``concealments(of:after:limit:)``.
  /// Reads only the summaries of lists.
  func firstConcealments(of job: JobID) throws -> ConcealmentPage

  /// A page of the damaged media in a job's file, in order of time: first the pictures, then the sound. Reads only the
  /// lists that the page contains, and decodes none of them.
  ///
  /// - Parameters:
  ///   - skipped: the number of concealments before the page.
  ///   - limit: the maximum number of concealments.
  func concealments(of job: JobID, after skipped: Int, limit: Int) throws -> ConcealmentPage
}
