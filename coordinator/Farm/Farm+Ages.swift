import FarmAPI
import Foundation
import Scheduling

/// The deletion of old jobs and finished files, if the operator limits their age.
extension Farm {
  /// Deletes a job that ended before a date, with everything that belongs to it alone, unless it is in use.
  ///
  /// - Parameters:
  ///   - days: the age from which jobs are deleted, for the log.
  ///   - output: the removal of the finished file.
  /// - Returns: the removal, which the caller finishes; `nil` if the job is not deleted now.
  func deleteOld(
    _ id: JobID, endedBefore date: Date, days: Int, _ output: OutputRemoval
  ) async throws -> OutputRemoval? {
    guard let row = try ledger.job(id), try isOld(row, endedBefore: date) else { return nil }
    // A receiver that is down for a while still learns how the job ended.
    guard try !ledger.notifications(of: id).contains(where: { $0.state == .pending }) else {
      return nil
    }
    let removal = try await delete(
      row, by: .local, because: Self.reason("job", "--keep-jobs-days", days), output)
    counters.oldJobsDeleted += 1
    return removal
  }

  /// Deletes the finished file of a job that ended before a date, unless it is being downloaded. The job stays, and
  /// states what happened to its file.
  ///
  /// - Parameters:
  ///   - days: the age from which files are deleted.
  ///   - output: the removal of the file.
  /// - Returns: the removal, which the caller finishes; `nil` if the file is not deleted now.
  func deleteOldOutput(
    of id: JobID, endedBefore date: Date, days: Int, _ output: OutputRemoval
  ) throws -> OutputRemoval? {
    guard let row = try ledger.job(id), let file = row.status.output,
      try isOld(row, endedBefore: date)
    else { return nil }
    let deletion = OutputDeletion(
      fileName: file.fileName, byteCount: file.byteCount, deletedAt: clock.date(),
      reason: Self.reason("job", "--keep-outputs-days", days))
    var output = output
    try output.begin()
    do {
      try write([.outputDeleted(id, deletion)])
    } catch {
      output.undo()
      throw error
    }
    counters.oldOutputsDeleted += 1
    log.info(
      "the finished file of \(row.status.name) with \(file.byteCount) bytes deleted, because "
        + deletion.reason, .job(id))
    changed(id)
    return output
  }

  private func isOld(_ row: JobRow, endedBefore date: Date) throws -> Bool {
    guard row.status.state.isFinal, let end = row.status.finishedAt else { return false }
    // If the clock was wrong when the job ended, it may have been right when the job was submitted.
    return max(end, row.status.createdAt) < date && !outputDownloads.includes(row.id)
  }

  private static func reason(_ what: String, _ option: String, _ days: Int) -> String {
    "the \(what) ended more than \(days) \(days == 1 ? "day" : "days") ago (\(option))"
  }
}
