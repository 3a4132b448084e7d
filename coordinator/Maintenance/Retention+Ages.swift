import FarmAPI
import Foundation
import Scheduling

/// The deletion of old jobs and finished files, if the operator limits their age.
extension Retention {
  /// Deletes the jobs and finished files that are older than the operator allows.
  func deleteOld(at now: Date) async throws {
    let mayDelete = try await mayDeleteOld(at: now)
    guard mayDelete else { return }
    if let days = settings.keepJobsDays {
      let limit = now - Double(days) * 86_400
      let old = try await farm.snapshot { try $0.endedJobs(before: limit, withOutput: false) }
      for id in old {
        let removal = try await farm.deleteOld(
          id, endedBefore: limit, days: days, OutputRemoval(of: id.rawValue, in: directory))
        if let removal { try await threads.run { removal.finish() } }
      }
    }
    if let days = settings.keepOutputsDays {
      let limit = now - Double(days) * 86_400
      let old = try await farm.snapshot { try $0.endedJobs(before: limit, withOutput: true) }
      for id in old where try await farm.deleteOldOutput(of: id, endedBefore: limit, days: days) {
        try await threads.run { [directory] in
          OutputRemoval(of: id.rawValue, in: directory).removeFiles()
        }
      }
    }
  }

  /// Whether the clock is reliable enough to delete something because of its age; see ``AgeGuard``.
  private func mayDeleteOld(at now: Date) async throws -> Bool {
    let file = AgeGuardFile(data: directory.path)
    let verdict: (Bool, Date?)
    do {
      verdict = try await threads.run { () throws -> (Bool, Date?) in
        try file.update { records in
          var ages = records.last ?? AgeGuard()
          let mayDelete = ages.allowsDeletion(at: now)
          records = [ages]
          return (mayDelete, ages.waitsUntil)
        }
      }
    } catch let error as StorageError {
      // The rest of the cleanup must go on: it is what frees space on a full disk.
      log.error("no job or finished file is deleted because of its age: \(error.message)")
      return false
    }
    guard settings.keepJobsDays != nil || settings.keepOutputsDays != nil else { return false }
    if let end = verdict.1 {
      log.info(
        "no job or finished file is deleted because of its age until "
          + "\(end.formatted(.iso8601)): the coordinator was stopped for more than a day, or the "
          + "clock was changed: check the clock")
    }
    return verdict.0
  }
}
