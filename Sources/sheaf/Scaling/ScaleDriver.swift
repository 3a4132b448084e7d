import Foundation
import Processes

/// Starts workers, and knows which of them have not ended.
package protocol ScaleDriver: Sendable {
  /// The workers that were started and have not ended, by name.
  ///
  /// - Throws: ``CommandFailure``.
  func workers() async throws -> [String: StartedWorker]

  /// Starts workers, and returns their names.
  ///
  /// - Parameter lifetime: the time after which a worker takes no more segments, in seconds.
  /// - Throws: ``CommandFailure``.
  func start(_ count: Int, lifetime: Int) async throws -> [String]
}

/// A worker that was started and has not ended.
package struct StartedWorker: Hashable, Sendable {
  /// Whether it runs, and does not wait in a queue.
  package var isRunning: Bool
  /// Why it waits.
  package var reason: String?

  package init(isRunning: Bool, reason: String? = nil) {
    self.isRunning = isRunning
    self.reason = reason
  }
}

/// How started workers are run.
package struct WorkerTemplate: Hashable, Sendable {
  /// The shell command that runs a worker, to which options are added.
  package var command: String
  /// What the names of all workers begin with.
  package var name: String
  package var slots: Int
  /// A worker ends after so many seconds without work.
  package var idleSeconds: Int
  /// The address of the coordinator, which the worker finds in its environment.
  package var coordinator: String

  package init(
    command: String, name: String, slots: Int, idleSeconds: Int, coordinator: String
  ) {
    self.command = command
    self.name = name
    self.slots = slots
    self.idleSeconds = idleSeconds
    self.coordinator = coordinator
  }

  /// The shell command that runs the worker with a name.
  ///
  /// - Parameter name: a word of shell, in which variables are replaced.
  func line(named name: String, lifetime: Int) -> String {
    "\(command) --name \"\(name)\" --slots \(slots) --exit-when-idle \(idleSeconds) "
      + "--max-lifetime \(lifetime)"
  }

  /// The environment of workers and of the programs that start them: without the secrets of this command and of
  /// coordinators, and without variables that make Slurm's programs look elsewhere.
  var environment: [String: String] {
    var variables = ProcessInfo.processInfo.environment.filter { name, _ in
      !["SHEAF_TOKEN", "SHEAF_LEDGER", "SHEAF_LEDGER_PASSWORD"].contains(name)
        && !name.hasPrefix("SQUEUE_") && !name.hasPrefix("SBATCH_")
    }
    variables["SHEAF_COORDINATOR"] = coordinator
    return variables
  }
}

/// Starts workers as processes on this host.
package actor CommandDriver: ScaleDriver {
  private let template: WorkerTemplate
  private var children: [String: ChildProcess] = [:]
  private var count = 0
  /// Distinguishes the workers of this run from those of earlier ones.
  private let run = String(UInt32.random(in: .min ... .max), radix: 36)

  package init(_ template: WorkerTemplate) { self.template = template }

  package func workers() -> [String: StartedWorker] {
    for (name, child) in children where child.hasEnded {
      child.wait()
      children[name] = nil
    }
    return children.mapValues { _ in StartedWorker(isRunning: true) }
  }

  package func start(_ count: Int, lifetime: Int) throws -> [String] {
    var names: [String] = []
    for _ in 0..<count {
      self.count += 1
      let name = "\(template.name)-\(run)-\(self.count)"
      do throws(ProcessError) {
        // The kernel kills some of Sheaf's processes when the thread that started them ends.
        children[name] = try ProcessStarter.shared.start(
          Spawn(
            "/bin/sh", ["sh", "-c", template.line(named: name, lifetime: lifetime)],
            descriptors: [.null, .null, .copy(2)], environment: template.environment,
            subject: name))
      } catch {
        throw CommandFailure(
          .failed, "cannot start a worker", on: error.description,
          remedy: "raise the limit on processes, or lower --max")
      }
      names.append(name)
    }
    return names
  }
}

/// Starts workers as array tasks of Slurm.
package struct SlurmDriver: ScaleDriver {
  private let template: WorkerTemplate
  /// Further options of `sbatch`.
  private let options: [String]

  /// The part of a job's time limit that a worker has to finish the segments that it holds, in seconds.
  package static let grace = 600
  /// The options of `sbatch` by which this command recognizes its jobs.
  package static let ownOptions = [
    "--job-name", "-J", "--array", "-a", "--time", "-t", "--wrap", "--requeue", "--parsable",
    "--clusters", "-M",
  ]

  package init(_ template: WorkerTemplate, options: [String]) {
    self.template = template
    self.options = options
  }

  package func workers() async throws -> [String: StartedWorker] {
    let text = try await ExternalCommand.output(
      [
        "squeue", "--noheader", "--array", "--me", "--name", template.name, "--states",
        "PENDING,CONFIGURING,RUNNING,COMPLETING", "--format", "%F_%K|%T|%r",
      ], environment: template.environment)
    var workers: [String: StartedWorker] = [:]
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard fields.count == 3 else { continue }
      let isWaiting = fields[1] == "PENDING" || fields[1] == "CONFIGURING"
      workers["\(template.name)-\(fields[0])"] = StartedWorker(
        isRunning: !isWaiting, reason: isWaiting ? fields[2] : nil)
    }
    return workers
  }

  package func start(_ count: Int, lifetime: Int) async throws -> [String] {
    let name = "\(template.name)-${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
    let limit = lifetime + Self.grace
    let answer = try await ExternalCommand.output(
      [
        "sbatch", "--parsable", "--job-name", template.name, "--array", "1-\(count)", "--time",
        "\((limit + 59) / 60)", "--no-requeue",
      ] + options + ["--wrap", template.line(named: name, lifetime: lifetime)],
      environment: template.environment)
    // The id, and the cluster's name behind a semicolon if there is one.
    guard let id = answer.split(whereSeparator: { $0 == ";" || $0.isWhitespace }).first else {
      throw CommandFailure(
        .failed, "sbatch printed no id", on: "sbatch --parsable", remedy: "see its messages")
    }
    return (1...count).map { "\(template.name)-\(id)_\($0)" }
  }
}
