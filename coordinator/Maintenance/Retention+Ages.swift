import FarmAPI
import Foundation
import Scheduling

/// The deletion of old jobs and finished files, if the operator limits their age.
extension Retention {
  /// Deletes the jobs and finished files that are older than the operator allows. One that cannot be deleted is named in
  /// the log, and stays until the next cleanup.
  func deleteOld(at now: Date) async throws {
    let mayDelete = try await mayDeleteOld(at: now)
    guard mayDelete else { return }
    if let days = settings.keepJobsDays {
      try await delete("job", days, at: now, withOutput: false) { id, limit in
        let output = OutputRemoval(of: id.rawValue, in: storage)
        return try await farm.deleteOld(id, endedBefore: limit, days: days, output)
      }
    }
    if let days = settings.keepOutputsDays {
      try await delete("finished file", days, at: now, withOutput: true) { id, limit in
        let output = OutputRemoval(of: id.rawValue, in: storage)
        return try await farm.deleteOldOutput(of: id, endedBefore: limit, days: days, output)
      }
    }
  }

  /// Deletes something of each job that ended more than some days ago.
  ///
  /// - Parameters:
  ///   - what: what is deleted, for the log.
  ///   - body: deletes it for a job that ended before a date, and returns the removal of its file if it did.
  private func delete(
    _ what: String, _ days: Int, at now: Date, withOutput: Bool,
    _ body: (JobID, Date) async throws -> OutputRemoval?
  ) async throws {
    let limit = now - Double(days) * 86_400
    let old = try await farm.snapshot { try $0.endedJobs(before: limit, withOutput: withOutput) }
    for id in old {
      try await farm.letOthersIn()
      do {
        guard let removal = try await body(id, limit) else { continue }
        try await threads.run { () throws in try removal.finish() }
      } catch let error as CancellationError {
        throw error
      } catch {
        log.error(
          "cannot delete an old \(what): \(error): trying again at the next cleanup", .job(id))
      }
    }
  }

  /// Whether the clock is reliable enough to delete something because of its age; see ``AgeGuard``.
  private func mayDeleteOld(at now: Date) async throws -> Bool {
    guard settings.keepJobsDays != nil || settings.keepOutputsDays != nil else { return false }
    let file = AgeGuardFile(data: directory.path)
    let observed: (mayDelete: Bool, end: Date?, failure: (any Error)?)
    do {
      observed = try await threads.run { () throws in
        var ages = try file.records().last ?? AgeGuard()
        let mayDelete = ages.allowsDeletion(at: now)
        // If the disk is full, the old files are what frees space, and the record before this one still counts.
        let written = Result { try file.update { $0 = [ages] } }
        guard case .failure(let failure) = written else {
          return (mayDelete, ages.waitsUntil, nil)
        }
        return (mayDelete, ages.waitsUntil, failure)
      }
    } catch let error as StorageError {
      // The rest of the cleanup must go on.
      log.error("no job or finished file is deleted because of its age: \(error.message)")
      return false
    }
    if let failure = observed.failure {
      log.error("cannot record the time of this cleanup: \(failure)")
    }
    if let end = observed.end {
      log.info(
        "no job or finished file is deleted because of its age until "
          + "\(end.formatted(.iso8601)): this is the first day with a limit, the coordinator was "
          + "stopped for more than a day, or the clock was changed: check the clock")
    }
    return observed.mayDelete
  }
}
