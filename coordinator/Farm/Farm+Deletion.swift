import Crypto
import FarmAPI
import Scheduling

extension Farm {
  /// Deletes a final job: its record, its finished file, and the chunks that no other job needs and that are not kept for
  /// later jobs. Retention deletes its project, plan and assets when nothing else needs them.
  ///
  /// - Parameter output: the removal of the finished file. Its caller finishes it.
  /// - Throws: ``FarmError`` if the job does not exist, is not final, or the caller may not see it.
  func delete(
    _ id: JobID, for caller: Caller = .local, _ output: OutputRemoval
  ) async throws -> OutputRemoval {
    let row = try row(of: id, for: caller)
    guard row.status.state.isFinal else {
      throw FarmError(
        .wrongState,
        "job '\(id)' is \(row.status.state.rawValue): cancel it before you delete it")
    }
    let removal = try await delete(row, by: caller, because: nil, output)
    counters.jobsDeleted += 1
    return removal
  }

  /// Deletes a final job.
  ///
  /// - Parameter reason: the reason for the log, as a clause that follows "because"; `nil` if the caller asked for it.
  func delete(
    _ row: JobRow, by caller: Caller, because reason: String?, _ output: OutputRemoval
  ) async throws -> OutputRemoval {
    let id = row.id
    let chunks = Set(try ledger.chunks(of: id).values)
    let undelivered = try ledger.notifications(of: id).filter { $0.state == .pending }
    var output = output
    try output.begin()
    do {
      try write([.jobDeleted(id)])
    } catch {
      output.undo()
      throw error
    }
    damagedNames[id] = nil
    let file = (row.status.output ?? row.lostOutput).map {
      ", with its file of \($0.byteCount) bytes"
    }
    log.info(
      "\(row.status.name) (\(row.status.state.rawValue)) deleted\(file ?? "")"
        + (reason.map { ", because \($0)" } ?? ""),
      .job(id, by: caller))
    for notification in undelivered {
      log.error(
        "notification not delivered: its job was deleted",
        [
          "job": id.rawValue, "event": notification.event.rawValue,
          "receiver": notification.receiver.shown, "delivery": notification.id,
          "try": "\(notification.attempts)", "because": notification.error ?? "not tried yet",
        ])
    }
    removed(id, of: row.status.submitter)
    await dispose(of: Array(chunks))
    return output
  }

  /// Whether the ledger has a record of a job.
  func knows(_ id: JobID) throws -> Bool { try ledger.job(id) != nil }
}
