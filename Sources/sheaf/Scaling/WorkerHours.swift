import FarmAPI
import Foundation

/// The hours that started workers have run within the last day, in steps of ten minutes, and those that they may still
/// run.
package struct WorkerHours: Codable, Hashable, Sendable {
  private static let step = 600
  private static let stepsPerDay = 144

  /// The hours by the number of the step since 1970.
  private var steps: [Int: Double] = [:]
  private var lastLook: Date?
  /// `nil` in a file of an earlier version.
  private var lifetimes: WorkerLifetimes?

  package init() {}

  /// Notes which workers run at a date, and which wait in a queue. Counts what they may have run since the last look,
  /// also if this command did not run meanwhile.
  ///
  /// - Parameters:
  ///   - lifetime: the longest lifetime that this command gives to a worker, in seconds. A worker whose lifetime is not
  ///     known counts with it.
  ///   - seesAll: whether a worker that is neither running nor waiting has ended.
  package mutating func note(
    running: Set<String>, waiting: Set<String> = [], lifetime: Int, seesAll: Bool = true,
    at date: Date
  ) {
    let now = Int(date.timeIntervalSince1970) / Self.step
    var lifetimes = lifetimes ?? WorkerLifetimes()
    let seconds = lifetimes.observe(
      running: running, waiting: waiting, lifetime: lifetime, seesAll: seesAll, since: lastLook,
      at: date)
    if seconds > 0 { steps[now, default: 0] += seconds / 3600 }
    (self.lifetimes, lastLook) = (lifetimes, date)
    // A step in the future was noted while the clock was wrong. The first step began before the day.
    steps = steps.filter { $0.key >= now - Self.stepsPerDay && $0.key <= now }
  }

  /// Notes workers that were just started.
  ///
  /// - Parameter lifetime: the lifetime that they were given, in seconds.
  package mutating func started(_ names: [String], lifetime: Int, at date: Date) {
    lifetimes = lifetimes ?? WorkerLifetimes()
    lifetimes?.add(names, seconds: lifetime, at: date)
  }

  /// The sum over the day before the last look.
  package var sum: Double { steps.values.reduce(0, +) }

  /// The hours that all workers may still run after the last look.
  package var promised: Double {
    guard let lifetimes, let lastLook else { return 0 }
    return lifetimes.rest(at: lastLook) / 3600
  }

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
