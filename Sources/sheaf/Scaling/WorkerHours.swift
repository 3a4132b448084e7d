import FarmAPI
import Foundation

/// The hours that started workers have run within the last day, in steps of ten minutes.
package struct WorkerHours: Codable, Hashable, Sendable {
  private static let step: Double = 600
  private static let day: Double = 86_400

  /// The hours by the number of the step since 1970.
  private var steps: [Int: Double] = [:]

  package init() {}

  /// Adds the time of some workers up to a date.
  package mutating func add(workers: Int, seconds: Double, at date: Date) {
    let step = Int(date.timeIntervalSince1970 / Self.step)
    if workers > 0, seconds > 0 { steps[step, default: 0] += Double(workers) * seconds / 3600 }
    steps = steps.filter { $0.key > step - Int(Self.day / Self.step) }
  }

  /// The sum over the day before a date.
  package func sum(at date: Date) -> Double {
    let step = Int(date.timeIntervalSince1970 / Self.step)
    return steps.filter { $0.key > step - Int(Self.day / Self.step) }.values.reduce(0, +)
  }

  /// Reads the hours from a file; none if there is no file.
  package static func read(_ path: String) throws(CommandFailure) -> WorkerHours {
    guard let data = FileManager.default.contents(atPath: path) else { return WorkerHours() }
    guard let hours = try? FarmCoding.decode(WorkerHours.self, from: data) else {
      throw CommandFailure(
        .failed, "the file does not contain the hours of workers", on: path,
        remedy: "name another file with --state, or remove it")
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
