import Arguments
import Crypto
import FarmAPI
import Foundation
import HTTP

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
    help: "The shell command that runs a worker; --name, --slots, --exit-when-idle and "
      + "--max-lifetime are added to it, and SHEAF_COORDINATOR is set")
  private static let maximum = Option<Int>(
    "max", value: "N", in: 1...10_000, help: "The maximum number of started workers at a time")
  private static let slots = Option<Int>(
    "slots", value: "N", in: 1...1024,
    help: "The number of segments that a started worker renders at a time (default: 1)")
  private static let name = Option<String>(
    "name", value: "NAME", expecting: "up to 32 letters, digits and dashes",
    help: "The beginning of the workers' names; two runs for one farm need different names "
      + "(default: scaled)"
  ) { text in
    let isName = text.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "-")
    }
    return isName && (1...32).contains(text.utf8.count) ? text : nil
  }
  private static let interval = Option<Int>(
    "interval", value: "N", in: 1...3600, of: "seconds",
    help: "Seconds between two looks at the farm (default: 15)")
  private static let coolDown = Option<Int>(
    "cool-down", value: "N", in: 0...3600, of: "seconds",
    help: "Seconds between two starts; doubled up to ten minutes while starts are in vain "
      + "(default: 30)")
  private static let idle = Option<Int>(
    "idle", value: "N", in: 1...604_800, of: "seconds",
    help: "Seconds without work after which a worker ends (default: 120)")
  private static let lifetime = Option<Int>(
    "lifetime", value: "N", in: 60...31_536_000, of: "seconds",
    help: "Seconds after which a worker takes no more segments (default: 82800, 23 hours); the "
      + "time limit of a job of Slurm is ten minutes longer")
  private static let hours = Option<Double>(
    "hours-per-day", value: "H", in: 1...10_000_000,
    help: "Let the workers of any 24 hours run this many hours together: none is started when they "
      + "are used up, and lifetimes are shortened before")
  private static let state = Option<String>(
    "state", value: "FILE",
    help: "The file that keeps the hours of --hours-per-day when this command ends")
  private static let sbatch = Option<String>(
    "sbatch", value: "OPTION", isRepeatable: true,
    help: "A further option of sbatch, such as --partition=render; may be repeated")

  static let syntax = CommandSyntax(
    program: "sheaf", name: "scale", summary: "Start workers while the farm has work for them",
    details: [
      "It runs until a signal ends it. At each look, it compares the segments to render with the "
        + "workers that the farm has, and starts the missing ones. They end by themselves when "
        + "they have no work. Workers that wait in the queue or have not registered yet count, so "
        + "that none is started twice; those that disappear are replaced while there is work.",
      "While starts fail, or workers end without a result although there is work, it tries with "
        + "one worker, at longer and longer intervals.",
      "It needs an observer's token, and does not pass it on. Workers that it has started keep "
        + "running when it ends.",
    ],
    options: FarmConnection.options + [
      driver.declaration.required(), worker.declaration.required(), maximum.declaration.required(),
      slots.declaration, name.declaration, interval.declaration, coolDown.declaration,
      idle.declaration, lifetime.declaration, hours.declaration, state.declaration,
      sbatch.declaration, Flag.json.declaration,
    ],
    examples: [
      Example(
        """
        sheaf scale --driver slurm --max 50 --slots 4 \\
          --sbatch --partition=render --sbatch --cpus-per-task=4 \\
          --worker 'sheaf-worker --token-file /etc/sheaf/worker.token'
        """, "Run up to 50 workers on a Slurm cluster")
    ])

  private let farm: FarmConnection
  private let driver: any ScaleDriver
  private let policy: ScalePolicy
  private let template: WorkerTemplate
  /// Whether the driver knows the workers of earlier runs of this command, too.
  private let driverKnowsAll: Bool
  private let interval: Duration
  private let coolDown: Duration
  private let lifetime: Int
  private let state: String?
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    // The first address, so that further ones can be added while workers run.
    let farmID = Digest.of(Data((farm.servers.all.first ?? "").utf8)).description.prefix(6)
    template = WorkerTemplate(
      command: try arguments.required(Self.worker),
      name: "\(try arguments.value(Self.name) ?? "scaled")-\(farmID)",
      slots: try arguments.value(Self.slots) ?? 1,
      idleSeconds: try arguments.value(Self.idle) ?? 120,
      coordinators: farm.servers.all)
    let options = try arguments.values(Self.sbatch)
    switch try arguments.required(Self.driver) {
    case .slurm:
      (driver, driverKnowsAll) = (SlurmDriver(template, options: options), true)
      try Self.check(options)
    case .command:
      guard options.isEmpty else {
        throw UsageError(
          "the option needs --driver slurm", on: "--sbatch", command: Self.syntax.invocation)
      }
      (driver, driverKnowsAll) = (CommandDriver(template), false)
    }
    policy = ScalePolicy(
      maximum: try arguments.required(Self.maximum), slots: template.slots,
      hoursPerDay: try arguments.value(Self.hours))
    interval = .seconds(try arguments.value(Self.interval) ?? 15)
    coolDown = .seconds(try arguments.value(Self.coolDown) ?? 30)
    lifetime = try arguments.value(Self.lifetime) ?? 82_800
    state = try arguments.value(Self.state)
    printsJSON = arguments.has(.json)
    guard state == nil || policy.hoursPerDay != nil else {
      throw UsageError(
        "the option needs --hours-per-day", on: "--state", command: Self.syntax.invocation)
    }
  }

  /// Rejects options of sbatch that would hide the jobs from this command.
  private static func check(_ options: [String]) throws(UsageError) {
    let own = SlurmDriver.ownOptions
    let wrong = options.first { option in
      own.contains {
        $0.hasPrefix("--") ? option.split(separator: "=").first == $0[...] : option.hasPrefix($0)
      }
    }
    guard let wrong else { return }
    throw UsageError(
      "this command sets \(wrong) itself: leave it out", on: "--sbatch",
      command: syntax.invocation)
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
    var results = WorkerResults()
    var last: Look?
    var lastProblem: String?
    while true {
      try Task.checkCancellation()
      do {
        let view = try await look(&hours)
        if let state { try hours.write(state) }
        let time = clock.now - begin
        let changes = results.observe(view)
        for name in changes.unregistered {
          console.report("sheaf: \(name) ended before it registered: see its messages")
        }
        if changes.hasResult { pacing.succeeded() }
        if changes.isInVain { pacing.failed(at: time) }
        let count = min(policy.missing(in: view.situation), pacing.allowance(at: time))
        if count > 0 { try await start(count, view, &pacing, &results, at: time) }
        let seen = Look(view, starting: count, policy)
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

  private func start(
    _ count: Int, _ view: FarmView, _ pacing: inout StartPacing, _ results: inout WorkerResults,
    at time: Duration
  ) async throws {
    let seconds = policy.lifetime(lifetime, starting: count, in: view.situation)
    do {
      results.expect(try await driver.start(count, lifetime: seconds))
      pacing.started(at: time)
    } catch {
      pacing.failed(at: time)
      throw error
    }
  }

  /// The farm and the started workers as they are now.
  private func look(_ hours: inout WorkerHours) async throws -> FarmView {
    // First, so that a worker that registers meanwhile counts once.
    let started = try await driver.workers()
    let segments = try await farm.segmentsToRender()
    let workers = try await farm.workers().filter { $0.state != .lost }
    let view = FarmView(
      started: started, workers: workers, prefix: "\(template.name)-",
      driverKnowsAll: driverKnowsAll, pending: segments.pending, leased: segments.leased)
    hours.note(running: view.runningCount, at: Date())
    var counted = view
    counted.situation.hours = hours.sum
    return counted
  }

  /// The printed summary of a look at the farm.
  private struct Look: Encodable, Hashable, CustomStringConvertible {
    /// The number of started workers that the farm could keep busy.
    let wanted: Int
    let active: Int
    /// The number of started workers that have not registered yet.
    let waiting: Int
    /// Why most of them wait, if that is known.
    let reason: String?
    let starting: Int
    /// Whether the hours of the last day allow no start.
    let isExhausted: Bool

    init(_ view: FarmView, starting count: Int, _ policy: ScalePolicy) {
      wanted = policy.wanted(in: view.situation)
      active = view.active.count
      waiting = view.waiting.count
      reason = view.reason
      starting = count
      isExhausted = policy.remainingHours(in: view.situation) == 0
    }

    var description: String {
      "\(wanted) wanted, \(active) active, \(waiting) not registered"
        + (reason.map { " (\($0))" } ?? "") + (starting > 0 ? ", starting \(starting)" : "")
        + (isExhausted ? ", none started: the hours of the last day are used up" : "")
    }
  }
}
