import Arguments
import FarmAPI
import Foundation

/// `sheaf scale`: starts workers while the farm has work for them.
struct ScaleCommand: Command {
  /// Where workers are started.
  private enum Driver: String, CaseIterable {
    case command, slurm
  }

  private static let driver = Option<Driver>(
    "driver", choice: "DRIVER",
    help: "How to start workers: command (as processes on this host) or slurm (with sbatch)")
  private static let worker = Option<String>(
    "worker", value: "COMMAND",
    help: "The shell command that runs a worker; --name, --exit-when-idle and --max-lifetime are "
      + "added to it")
  private static let maximum = Option<Int>(
    "max", value: "N", in: 1...10_000, help: "The maximum number of started workers at a time")
  private static let minimum = Option<Int>(
    "min", value: "N", in: 0...10_000,
    help: "The number of workers that the farm has even without work (default: 0)")
  private static let name = Option<String>(
    "name", value: "NAME", expecting: "up to 32 letters, digits and dashes",
    help: "What the workers' names begin with; two runs for one farm need different names "
      + "(default: scaled)"
  ) { text in
    let isName = text.utf8.allSatisfy {
      ("a"..."z").contains(Character(Unicode.Scalar($0)).lowercased()) || $0 == UInt8(ascii: "-")
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
    }
    return isName && (1...32).contains(text.utf8.count) ? text : nil
  }
  private static let interval = Option<Int>(
    "interval", value: "N", in: 1...3600, of: "seconds",
    help: "Seconds between two looks at the farm (default: 15)")
  private static let coolDown = Option<Int>(
    "cool-down", value: "N", in: 0...3600, of: "seconds",
    help: "Seconds between two starts; doubled up to ten minutes while workers end before they "
      + "register (default: 30)")
  private static let idle = Option<Int>(
    "idle", value: "N", in: 1...604_800, of: "seconds",
    help: "Seconds without work after which a worker ends (default: 120)")
  private static let lifetime = Option<Int>(
    "lifetime", value: "N", in: 60...31_536_000, of: "seconds",
    help:
      "Seconds after which a worker takes no more segments; a job of Slurm has ten minutes more "
      + "to finish (default: 86400)")
  private static let hours = Option<Double>(
    "hours-per-day", value: "H", in: 1...10_000_000,
    help: "Start no workers while those of the last 24 hours have run this long together")
  private static let state = Option<String>(
    "state", value: "FILE",
    help: "The file that keeps the hours of --hours-per-day when this command ends")
  private static let sbatch = Option<String>(
    "sbatch", value: "OPTION", isRepeatable: true,
    help: "A further option of sbatch, such as --partition=render; may be repeated")

  static let syntax = CommandSyntax(
    program: "sheaf", name: "scale", summary: "Start workers while the farm has work for them",
    details: [
      "It runs until a signal ends it. At each look, it compares the number of workers that the "
        + "farm could keep busy with those that it has, and starts the missing ones. They end by "
        + "themselves when they have no work, and deliver the segments that they hold first. "
        + "Workers that were started and have not registered yet count, so that none is started "
        + "twice; those that disappear are replaced while there is work.",
      "It needs an observer's token. Workers that it has started keep running when it ends.",
    ],
    options: FarmConnection.options + [
      driver.declaration.required(), worker.declaration.required(), maximum.declaration.required(),
      minimum.declaration, name.declaration, interval.declaration, coolDown.declaration,
      idle.declaration, lifetime.declaration, hours.declaration, state.declaration,
      sbatch.declaration, Flag.json.declaration,
    ],
    examples: [
      Example(
        """
        sheaf scale --driver slurm --max 50 --sbatch --partition=render \\
          --worker 'sheaf-worker --token-file /etc/sheaf/worker.token'
        """, "Run up to 50 workers on a Slurm cluster")
    ])

  private let farm: FarmConnection
  private let driver: any ScaleDriver
  private let policy: ScalePolicy
  private let template: WorkerTemplate
  private let interval: Duration
  private let coolDown: Duration
  private let state: String?
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    template = WorkerTemplate(
      command: try arguments.required(Self.worker),
      name: try arguments.value(Self.name) ?? "scaled",
      idleSeconds: try arguments.value(Self.idle) ?? 120,
      lifetimeSeconds: try arguments.value(Self.lifetime) ?? 86_400)
    let options = try arguments.values(Self.sbatch)
    switch try arguments.required(Self.driver) {
    case .slurm: driver = SlurmDriver(template, options: options)
    case .command:
      guard options.isEmpty else {
        throw UsageError(
          "the option needs --driver slurm", on: "--sbatch", command: Self.syntax.invocation)
      }
      driver = CommandDriver(template)
    }
    policy = ScalePolicy(
      minimum: try arguments.value(Self.minimum) ?? 0,
      maximum: try arguments.required(Self.maximum),
      hoursPerDay: try arguments.value(Self.hours))
    guard policy.minimum <= policy.maximum else {
      throw UsageError(
        "the minimum is larger than the maximum", on: "--min, --max",
        command: Self.syntax.invocation)
    }
    interval = .seconds(try arguments.value(Self.interval) ?? 15)
    coolDown = .seconds(try arguments.value(Self.coolDown) ?? 30)
    state = try arguments.value(Self.state)
    printsJSON = arguments.has(.json)
    guard state == nil || policy.hoursPerDay != nil else {
      throw UsageError(
        "the option needs --hours-per-day", on: "--state", command: Self.syntax.invocation)
    }
  }

  func run(on console: Console) async throws {
    try await Interruption.guarding(on: console, saying: "the started workers continue") {
      try await loop(on: console)
    }
  }

  private func loop(on console: Console) async throws {
    let clock = ContinuousClock()
    let begin = clock.now
    var pacing = StartPacing(coolDown: coolDown)
    var hours = try state.map { try WorkerHours.read($0) } ?? WorkerHours()
    var lastLook = begin
    var last: Look?
    var lastProblem: String?
    while true {
      try Task.checkCancellation()
      do {
        let situation = try await look(hours: hours, at: Date())
        let now = clock.now
        hours.add(
          workers: situation.started.count, seconds: (now - lastLook) / .seconds(1), at: Date())
        lastLook = now
        if let state { try hours.write(state) }
        for name in pacing.observe(active: situation.active, started: situation.started) {
          console.report("sheaf: \(name) ended before it registered: see its messages")
        }
        let count = policy.count(in: situation)
        let isDue = pacing.wait(at: now - begin) == .zero
        if count > 0, isDue {
          do {
            try await driver.start(count)
            pacing.noteStart(at: now - begin)
          } catch {
            pacing.noteStart(at: now - begin, hasFailed: true)
            throw error
          }
        }
        let seen = Look(situation, starting: isDue ? count : 0, policy)
        if printsJSON {
          try console.print(json: seen)
        } else if seen != last {
          try console.print(seen.description)
        }
        (last, lastProblem) = (seen, nil)
      } catch let failure as CommandFailure where failure.exitCode != .usage {
        // The coordinator or the cluster may come back.
        guard failure != .outputClosed else { throw failure }
        let problem = failure.lines.joined(separator: "; ")
        if problem != lastProblem { console.report("sheaf: \(problem): trying again") }
        lastProblem = problem
      }
      try await Task.sleep(for: interval)
    }
  }

  /// The farm and the started workers as they are now.
  private func look(hours: WorkerHours, at date: Date) async throws -> ScalePolicy.Situation {
    // First, so that a worker that registers meanwhile counts once.
    var started = try await driver.started()
    let desired = try await farm.desiredWorkers()
    let workers = try await farm.workers()
    let active = Set(workers.filter { $0.state == .active }.map(\.name))
    // Those of an earlier run of this command, which a driver may not know.
    started.formUnion(active.filter { $0.hasPrefix("\(template.name)-") })
    return ScalePolicy.Situation(
      desired: desired, active: active, started: started, hours: hours.sum(at: date))
  }

  /// What a look at the farm found, as it is printed.
  private struct Look: Encodable, Hashable, CustomStringConvertible {
    /// The number of workers that the farm could keep busy.
    let wanted: Int
    let active: Int
    /// The number of started workers that have not registered yet.
    let waiting: Int
    let starting: Int
    /// Whether the hours of the last day allow no start.
    let isExhausted: Bool

    init(_ situation: ScalePolicy.Situation, starting count: Int, _ policy: ScalePolicy) {
      wanted = situation.desired
      active = situation.active.count
      waiting = situation.started.subtracting(situation.active).count
      starting = count
      isExhausted = policy.hoursPerDay.map { situation.hours >= $0 } ?? false
    }

    var description: String {
      "\(wanted) wanted, \(active) active, \(waiting) not registered"
        + (starting > 0 ? ", starting \(starting)" : "")
        + (isExhausted ? ", none started: the hours of the last day are used up" : "")
    }
  }
}
