import Arguments
import Crypto
import FarmAPI
import Foundation
import HTTP

/// `sheaf scale`: starts workers while the farm has work for them.
struct ScaleCommand: Command {
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
      driver.declaration.required(), maximum.declaration.required(), slots.declaration,
      pool.declaration, name.declaration, interval.declaration, coolDown.declaration,
      idle.declaration, lifetime.declaration, hours.declaration, state.declaration,
    ] + driverOptions.map(\.declaration) + [Flag.json.declaration],
    examples: [
      Example(
        """
        sheaf scale --driver slurm --max 50 --slots 4 \\
          --sbatch --partition=render --sbatch --cpus-per-task=4 \\
          --worker 'sheaf-worker --token-file /etc/sheaf/worker.token'
        """, "Run up to 50 workers on a Slurm cluster"),
      Example(
        "sheaf scale --driver kubernetes --template sheaf-worker --max 50",
        "Run up to 50 workers as jobs of the Kubernetes cluster in which it runs"),
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
    let pool = try arguments.value(Self.pool)?.description
    // The first address, so that further ones can be added while workers run.
    let farmID = [farm.servers.all.first, pool].compactMap(\.self).joined(separator: " ")
    let id = Digest.of(Data(farmID.utf8)).description.prefix(6)
    let template = WorkerTemplate(
      name: "\(try arguments.value(Self.name) ?? "scaled")-\(id)",
      slots: try arguments.value(Self.slots) ?? 1,
      idleSeconds: try arguments.value(Self.idle) ?? 120, pool: pool,
      coordinators: farm.servers.all)
    (driver, driverKnowsAll) = try Self.makeDriver(arguments, for: template)
    self.template = template
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
        if changes.isWasted { pacing.failed(at: time) }
        let count = min(policy.missing(in: view.situation), pacing.allowance(at: time))
        if count > 0 {
          let seconds = policy.lifetime(lifetime, starting: count, in: view.situation)
          let names = try await start(count, lifetime: seconds, &pacing, at: time)
          results.expect(names)
          hours.started(names, lifetime: seconds, at: Date())
          if let state { try hours.write(state) }
        }
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
    _ count: Int, lifetime: Int, _ pacing: inout StartPacing, at time: Duration
  ) async throws -> [String] {
    do {
      let names = try await driver.start(count, lifetime: lifetime)
      pacing.started(at: time)
      return names
    } catch {
      pacing.failed(at: time)
      throw error
    }
  }

  /// The farm and the started workers as they are now.
  private func look(_ hours: inout WorkerHours) async throws -> FarmView {
    // First, so that a worker that registers meanwhile counts once.
    let started = try await driver.workers()
    let demand = try await farm.demand(for: template.pool)
    let workers = try await farm.workers().filter { $0.state != .lost }
    let view = FarmView(
      started: started, workers: workers, prefix: "\(template.name)-",
      driverKnowsAll: driverKnowsAll, demand: demand, pool: template.pool)
    hours.note(
      running: view.running, waiting: view.started.subtracting(view.running), lifetime: lifetime,
      seesAll: driverKnowsAll, at: Date())
    var counted = view
    (counted.situation.hours, counted.situation.promised) = (hours.sum, hours.promised)
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
    /// Whether the hours of the day do not allow workers that are missing.
    let isExhausted: Bool

    init(_ view: FarmView, starting count: Int, _ policy: ScalePolicy) {
      wanted = policy.wanted(in: view.situation)
      active = view.active.count
      waiting = view.waiting.count
      reason = view.reason
      starting = count
      isExhausted = policy.isExhausted(in: view.situation)
    }

    var description: String {
      "\(wanted) wanted, \(active) active, \(waiting) not registered"
        + (reason.map { " (\($0))" } ?? "") + (starting > 0 ? ", starting \(starting)" : "")
        + (isExhausted ? ", none started: all hours of the day are used up or reserved" : "")
    }
  }
}
