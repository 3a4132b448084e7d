import Crypto
import FarmAPI
import Scheduling

/// Finished files, and lost ones that come back: a disk may be absent for a while, or be restored.
extension Farm {
  /// The file of a completed job, even if the file has been lost since; `nil` if there is none, or if the job is being
  /// retried.
  func output(of id: JobID) throws -> OutputFile? {
    guard let row = try ledger.job(id) else { return nil }
    return row.status.output ?? row.lostOutput
  }

  /// Completes a job again whose lost file is back and matches its digest. In the meantime, the job may have been
  /// retried, and have failed or been cancelled.
  ///
  /// - Returns: whether the job is completed and has this file.
  @discardableResult
  func recoverOutput(of id: JobID, _ digest: Digest) throws -> Bool {
    guard let row = try ledger.job(id) else { return false }
    if let output = row.status.output { return output.sha256 == digest }
    guard row.lostOutput?.sha256 == digest, try ledger.isTrusted(lostOutputOf: row) else {
      return false
    }
    try write([.outputRecovered(id, digest)])
    log.info("the finished file is back and undamaged: the job is completed again", .job(id))
    changed(id)
    return true
  }
}
