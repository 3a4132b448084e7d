import Crypto
import FarmAPI
import Scheduling

/// Finished files, and those that were lost and come back: a disk may be absent for a while, or be restored.
extension Farm {
  /// The file of a job that was completed, whether it was lost since or not; `nil` if there is none.
  func output(of id: JobID) throws -> OutputFile? {
    guard let row = try ledger.job(id) else { return nil }
    return row.status.output ?? row.lostOutput
  }

  /// Completes a job again whose finished file was lost, and has been found to match its digest.
  ///
  /// - Returns: whether the job is completed and has this file.
  @discardableResult
  func recoverOutput(of id: JobID, _ digest: Digest) throws -> Bool {
    guard let row = try ledger.job(id) else { return false }
    if let output = row.status.output { return output.sha256 == digest }
    guard row.lostOutput?.sha256 == digest,
      // A chunk that was dropped since, because nobody trusts it any more, is in the file.
      try ledger.progress(of: id).segments.completed == row.finalProgress?.segments.completed
    else { return false }
    try write([.outputRecovered(id, digest)])
    log.info("job \(id): the finished file is back and sound: the job is completed again")
    changed(id)
    return true
  }
}

extension JobFailure {
  /// The code of a completed job whose file is damaged or missing.
  static let damagedOutputCode = "damaged-output"
}
