import Foundation

/// Decides whether the calendar is reliable enough to delete jobs and finished files because of their age.
///
/// A clock that leaps forward makes everything old at once. The guard therefore remembers when it was last asked. If
/// more time has passed since than a coordinator lets pass, or the clock went back, it refuses for a day, in which an
/// operator can notice that the clock is wrong. It survives a restart.
package struct AgeGuard: Hashable, Codable, Sendable {
  /// The time of the last cleanup; `nil` before the first.
  package private(set) var lastCleanup: Date?
  /// The time until which nothing is deleted because of its age.
  package private(set) var waitsUntil: Date?

  /// The time in seconds between two cleanups that is not unusual. A cleanup happens every hour and at the start.
  static let longestGap = 86_400.0
  /// The time in seconds for which nothing is deleted after an unusual gap.
  static let wait = 86_400.0
  /// The time in seconds by which a clock may be set back.
  private static let tolerance = 3600.0

  /// A guard that has never been asked.
  package init() {}

  /// Whether things may be deleted because of their age now. Starts to wait if the clock moved in an unusual way.
  package mutating func allowsDeletion(at now: Date) -> Bool {
    let gap = lastCleanup.map { now.timeIntervalSince($0) }
    lastCleanup = now
    let isUsual = gap.map { (-Self.tolerance...Self.longestGap).contains($0) } ?? false
    // If the clock was set back during the wait, a date in the far future must not extend it.
    let end = now + Self.wait
    if !isUsual { waitsUntil = end }
    guard let until = waitsUntil else { return true }
    guard until > now else {
      waitsUntil = nil
      return true
    }
    waitsUntil = min(until, end)
    return false
  }
}

/// The file with the guard, in the data directory.
package typealias AgeGuardFile = RecordFile<AgeGuard>

extension AgeGuardFile {
  /// The file in the data directory at `data`.
  package init(data: String) {
    self.init(
      path: "\(data)/last-cleanup.json", of: "the time of the last cleanup",
      remedy: "remove the file; old jobs and finished files are then deleted after a day")
  }
}
