import Foundation

/// How started workers are run.
package struct WorkerTemplate: Hashable, Sendable {
  /// The shell command that runs a worker, to which options are added; empty if the driver needs none.
  package var command: String
  /// The beginning of all workers' names.
  package var name: String
  package var slots: Int
  /// A worker ends after so many seconds without work.
  package var idleSeconds: Int
  /// The pool that the workers belong to; `nil` for none.
  package var pool: String?
  /// The addresses of the coordinators, which the worker finds in its environment.
  package var coordinators: [String]

  package init(
    command: String = "", name: String, slots: Int, idleSeconds: Int, pool: String? = nil,
    coordinators: [String]
  ) {
    self.command = command
    self.name = name
    self.slots = slots
    self.idleSeconds = idleSeconds
    self.pool = pool
    self.coordinators = coordinators
  }

  /// The options of a worker, apart from its name.
  func options(lifetime: String) -> [String] {
    [
      "--slots", "\(slots)", "--exit-when-idle", "\(idleSeconds)", "--max-lifetime", lifetime,
    ] + (pool.map { ["--pool", $0] } ?? [])
  }

  /// The shell command that runs the worker with a name.
  ///
  /// - Parameters:
  ///   - name: a word of shell, in which variables are replaced.
  ///   - lifetime: a number of seconds, or an arithmetic expansion of the shell.
  func line(named name: String, lifetime: String) -> String {
    "\(command) --name \"\(name)\" \(options(lifetime: lifetime).joined(separator: " "))"
  }

  /// The environment of workers and of the programs that start them: without the secrets of this command and of
  /// coordinators, and without variables that make Slurm's programs look elsewhere.
  var environment: [String: String] {
    var variables = ProcessInfo.processInfo.environment.filter { name, _ in
      !["SHEAF_TOKEN", "SHEAF_LEDGER", "SHEAF_LEDGER_PASSWORD"].contains(name)
        && !name.hasPrefix("SQUEUE_") && !name.hasPrefix("SBATCH_")
    }
    variables["SHEAF_COORDINATOR"] = coordinators.joined(separator: " ")
    return variables
  }
}
