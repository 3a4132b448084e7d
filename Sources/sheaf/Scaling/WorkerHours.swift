import FarmAPI
import Foundation

/// The hours that started workers have run within the last day, in steps of ten minutes.
package struct WorkerHours: Codable, Hashable, Sendable {
  private static let step = 600
  private static let stepsPerDay = 144

  /// The hours by the number of the step since 1970.
  private var steps: [Int: Double] = [:]
  /// The last look, and the number of workers that ran then.
  private var lastLook: Date?
  private var lastCount = 0

  package init() {}

  /// Notes how many workers run at a date. The time since the last look counts with the larger number of workers, also if
  /// this command did not run meanwhile.
  package mutating func note(running count: Int, at date: Date) {
    let now = Int(date.timeIntervalSince1970) / Self.step
    if let lastLook, date > lastLook {
      let hours = Double(max(count, lastCount)) * min(date.timeIntervalSince(lastLook) / 3600, 24)
      if hours > 0 { steps[now, default: 0] += hours }
    }
    (lastLook, lastCount) = (date, count)
    // A step in the future was noted while the clock was wrong.
    steps = steps.filter { $0.key > now - Self.stepsPerDay && $0.key <= now }
  }

  /// The sum over the day before the last look.
  package var sum: Double { steps.values.reduce(0, +) }

  /// Reads the hours from a file; none if there is no file.
  package static func read(_ path: String) throws(CommandFailure) -> WorkerHours {
    guard access(path, F_OK) == 0 else { return WorkerHours() }
    guard let data = FileManager.default.contents(atPath: path),
      let hours = try? FarmCoding.decode(WorkerHours.self, from: data)
    else {
      throw CommandFailure(
        .failed, "cannot read the hours of workers", on: path,
        remedy: "make the file readable, or name another one with --state")
    }
    return hours
  }

  /// Writes the hours to a file.
  package func write(_ path: String) throws(CommandFailure) {
    do {
      try FarmCoding.encode(self).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw CommandFailure(
        .failed, "cannot write the hours of workers", on: path,
        remedy: "name a file in a writable folder with --state")
    }
  }
}
