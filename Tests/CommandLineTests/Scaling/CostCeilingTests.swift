import Foundation
import Support
import Testing
import sheaf

/// The decisions of whole days, with simulated workers.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct CostCeilingTests {
  /// Decides every minute for two days, and returns when each worker ran, in seconds.
  private struct Simulation {
    let policy: ScalePolicy
    var lifetime = 82_800
    /// Whether workers end early, wait in a queue for up to half an hour, and the command is killed just after starts.
    var hasFaults = false
    let folder: TemporaryDirectory

    func runs(seed: UInt64, segments: (_ time: Int) -> Int) throws -> [Range<Int>] {
      let state = folder.path("state")
      var random = SeededRandom(seed: seed)
      var hours = WorkerHours()
      var living: [String: Range<Int>] = [:]
      var runs: [Range<Int>] = []
      for time in stride(from: 0, to: 2 * 86_400, by: 60) {
        let date = Date(timeIntervalSince1970: 1_000_000_000 + Double(time))
        living = living.filter { $0.value.upperBound > time }
        let running = Set(living.filter { $0.value.lowerBound <= time }.keys)
        let waiting = Set(living.keys).subtracting(running)
        hours.note(running: running, waiting: waiting, lifetime: lifetime, at: date)
        var situation = ScalePolicy.Situation()
        situation.pending = segments(time)
        (situation.capacity, situation.started) = (living.count, living.count)
        (situation.hours, situation.promised) = (hours.sum, hours.promised)
        let count = policy.missing(in: situation)
        guard count > 0 else { continue }
        let seconds = policy.lifetime(lifetime, starting: count, in: situation)
        // Nobody could notice a worker that ends before the command runs again.
        let isKilled = hasFaults && seconds > 120 && Int.random(in: 0..<4, using: &random) == 0
        let names = (0..<count).map { "s-\(time)-\($0)" }
        for name in names {
          let begin = time + (hasFaults && !isKilled ? Int.random(in: 0...1800, using: &random) : 0)
          let endsEarly = hasFaults && !isKilled && Bool.random(using: &random)
          let end = begin + (endsEarly ? Int.random(in: 1...seconds, using: &random) : seconds)
          living[name] = begin..<end
          runs.append(begin..<end)
        }
        if isKilled {
          try hours.write(state)
          hours = try WorkerHours.read(state)
        } else {
          hours.started(names, lifetime: seconds, at: date)
        }
      }
      return runs
    }
  }

  /// The largest number of hours that workers ran within any 24 hours, together.
  private func mostHours(_ runs: [Range<Int>]) -> Double {
    let end = runs.map(\.upperBound).max() ?? 0
    var changes = Array(repeating: 0, count: end + 1)
    for run in runs {
      changes[run.lowerBound] += 1
      changes[run.upperBound] -= 1
    }
    // The seconds that all workers ran before each second.
    var sums = [0]
    var (sum, count) = (0, 0)
    for change in changes {
      count += change
      sum += count
      sums.append(sum)
    }
    let most = sums.indices.map { sums[$0] - sums[max(0, $0 - 86_400)] }.max() ?? 0
    return Double(most) / 3600
  }

  @Test func `workers that come later get only the hours that earlier ones leave`() throws {
    let simulation = Simulation(
      policy: ScalePolicy(maximum: 50, slots: 1, hoursPerDay: 200),
      folder: try TemporaryDirectory())
    // Eight workers, and 42 more after an hour.
    let runs = try simulation.runs(seed: 1) { time in time < 3600 ? 8 : 500 }
    #expect(runs.prefix(8).allSatisfy { $0.count == 82_800 })
    let most = mostHours(runs)
    #expect(most <= 200 && most > 190)
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `no day has more hours than allowed, whatever happens to workers and to the command`(
    seed: UInt64
  ) throws {
    let hoursPerDay: Double = seed.isMultiple(of: 2) ? 30 : 200
    let simulation = Simulation(
      policy: ScalePolicy(maximum: 40, slots: 1, hoursPerDay: hoursPerDay),
      lifetime: seed.isMultiple(of: 3) ? 7200 : 82_800, hasFaults: true,
      folder: try TemporaryDirectory())
    // The work comes in waves.
    let runs = try simulation.runs(seed: seed) { time in (time / 600 * 7) % 60 }
    let most = mostHours(runs)
    #expect(most <= hoursPerDay && most > hoursPerDay / 4)
  }
}
