import Foundation

/// The lifetimes of the started workers that have not ended, by name.
struct WorkerLifetimes: Codable, Hashable, Sendable {
  private enum Lifetime: Codable, Hashable, Sendable {
    /// The worker has not been seen running. Its seconds begin when it runs.
    case ahead(seconds: Int)
    /// The worker runs, and takes no more segments after a date.
    case running(until: Date)
  }

  private var lifetimes: [String: Lifetime] = [:]
  /// The longest lifetime that a living worker can have, in seconds.
  private var longest = 0
  private var lastStart: Date?

  /// Within so many seconds after its start, a worker registers, or has ended.
  private static let registration: TimeInterval = 60

  init() {}

  /// Notes workers that were just started, and the lifetime that they were given.
  mutating func add(_ names: [String], seconds: Int, at date: Date) {
    for name in names { lifetimes[name] = .ahead(seconds: seconds) }
    if !names.isEmpty { lastStart = date }
  }

  /// Notes which workers live at a date. Returns how many seconds all workers have run since the last look, at most.
  ///
  /// - Parameters:
  ///   - lifetime: the longest lifetime that this command gives to a worker, in seconds. A worker whose lifetime is not
  ///     known counts with it.
  ///   - seesAll: whether a worker that is neither running nor waiting has ended.
  ///   - last: the last look; `nil` if this is the first one.
  mutating func observe(
    running: Set<String>, waiting: Set<String>, lifetime: Int, seesAll: Bool, since last: Date?,
    at date: Date
  ) -> Double {
    let living = running.union(waiting)
    // An earlier run of this command may have given longer ones.
    longest = lifetimes.isEmpty && living.isEmpty ? lifetime : max(longest, lifetime)
    let elapsed = last.map { min(max(0, date.timeIntervalSince($0)), 86_400) } ?? 0
    let mayRegister =
      !seesAll && lastStart.map { date < $0.addingTimeInterval(Self.registration) } ?? false
    var seconds = 0.0
    var found: [String: Lifetime] = [:]
    for (name, known) in lifetimes where !living.contains(name) {
      // It may have run until just now.
      seconds += min(elapsed, Self.rest(of: known, at: last ?? date))
      if mayRegister, case .ahead = known { found[name] = known }
    }
    for name in living {
      var known = lifetimes[name] ?? .ahead(seconds: longest)
      if running.contains(name) { known = Self.begun(known, by: date) }
      if case .running = known { seconds += elapsed }
      found[name] = known
    }
    lifetimes = found
    return seconds
  }

  /// The seconds that all workers may still run at a date until the ends of their lifetimes.
  func rest(at date: Date) -> Double {
    lifetimes.values.reduce(0) { $0 + Self.rest(of: $1, at: date) }
  }

  private static func rest(of lifetime: Lifetime, at date: Date) -> Double {
    switch lifetime {
    case .ahead(let seconds): Double(seconds)
    case .running(let end): max(0, end.timeIntervalSince(date))
    }
  }

  /// The lifetime of a worker that began to run at an unknown time before a date.
  private static func begun(_ lifetime: Lifetime, by date: Date) -> Lifetime {
    guard case .ahead(let seconds) = lifetime else { return lifetime }
    // Files keep whole seconds.
    let end = (date.timeIntervalSince1970 + Double(seconds)).rounded(.up)
    return .running(until: Date(timeIntervalSince1970: end))
  }
}
