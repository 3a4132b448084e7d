import Foundation

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
    let limit = lifetime + Self.grace
    let answer = try await ExternalCommand.output(
      [
        "sbatch", "--parsable", "--job-name", template.name, "--array", "1-\(count)", "--time",
        "\((limit + 59) / 60)", "--no-requeue",
      ] + options + ["--wrap", script(lifetime: lifetime)],
      environment: template.environment)
    // The id, and the cluster's name behind a semicolon if there is one.
    guard let id = answer.split(whereSeparator: { $0 == ";" || $0.isWhitespace }).first else {
      throw CommandFailure(
        .failed, "sbatch printed no id", on: "sbatch --parsable", remedy: "see its messages")
    }
    return (1...count).map { "\(template.name)-\(id)_\($0)" }
  }

  /// The script of all tasks of a job.
  package func script(lifetime: Int) -> String {
    let stagger = Stagger(lifetime: lifetime)
    let step = "(SLURM_ARRAY_TASK_ID - 1) % \(stagger.steps)"
    let line = template.line(
      named: "\(template.name)-${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}",
      lifetime: "$((\(lifetime) - \(step) * \(stagger.shortening)))")
    // Slurm signals the shell together with the worker, and kills what is left once the shell has ended. A shell with a
    // trap first waits until the command that it runs has ended, and then runs no further one. This is also correct for
    // several commands, before which `exec` would be wrong.
    return "trap exit TERM; sleep $(( \(step) )); \(line)"
  }
}
