import Foundation
import Processes
import Threads

/// Starts workers, and knows which of them have not ended.
package protocol ScaleDriver: Sendable {
  /// The names of the workers that were started and have not ended.
  ///
  /// - Throws: ``CommandFailure``.
  func started() async throws -> Set<String>

  /// Starts workers.
  ///
  /// - Throws: ``CommandFailure``.
  func start(_ count: Int) async throws
}

/// How started workers are called, and when they end.
package struct WorkerTemplate: Hashable, Sendable {
  /// The shell command that runs a worker, without the options that are added.
  package var command: String
  /// What the names of all workers begin with.
  package var name: String
  /// A worker ends after so many seconds without work.
  package var idleSeconds: Int
  /// A worker takes no more segments after so many seconds.
  package var lifetimeSeconds: Int

  package init(command: String, name: String, idleSeconds: Int, lifetimeSeconds: Int) {
    self.command = command
    self.name = name
    self.idleSeconds = idleSeconds
    self.lifetimeSeconds = lifetimeSeconds
  }

  /// The shell command that runs the worker with a name.
  ///
  /// - Parameter name: a word of shell, in which variables are replaced.
  func line(named name: String) -> String {
    "exec \(command) --name \"\(name)\" --exit-when-idle \(idleSeconds) "
      + "--max-lifetime \(lifetimeSeconds)"
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

  package func started() -> Set<String> {
    for (name, child) in children where child.hasEnded {
      child.wait()
      children[name] = nil
    }
    return Set(children.keys)
  }

  package func start(_ count: Int) throws {
    for _ in 0..<count {
      self.count += 1
      let name = "\(template.name)-\(run)-\(self.count)"
      do throws(ProcessError) {
        // The kernel kills some of Sheaf's processes when the thread that started them ends.
        children[name] = try ProcessStarter.shared.start(
          Spawn(
            "/bin/sh", ["sh", "-c", template.line(named: name)],
            descriptors: [.null, .null, .copy(2)],
            environment: ProcessInfo.processInfo.environment, subject: name))
      } catch {
        throw CommandFailure(.failed, "cannot start a worker", on: error.description)
      }
    }
  }
}

/// Starts workers as jobs of Slurm.
package struct SlurmDriver: ScaleDriver {
  private let template: WorkerTemplate
  /// Further options of `sbatch`.
  private let options: [String]

  /// The time that a worker has, after its lifetime, to finish the segments that it holds, in seconds.
  private static let grace = 600
  /// Workers of one start begin this many seconds apart, so that they do not all load the coordinator at once.
  private static let stagger = 0.2

  package init(_ template: WorkerTemplate, options: [String]) {
    self.template = template
    self.options = options
  }

  package func started() async throws -> Set<String> {
    let text = try await ExternalCommand.output([
      "squeue", "--noheader", "--array", "--me", "--name", template.name, "--states",
      "PENDING,CONFIGURING,RUNNING,SUSPENDED,STOPPED", "--format", "%F_%K",
    ])
    return Set(text.split(whereSeparator: \.isWhitespace).map { "\(template.name)-\($0)" })
  }

  package func start(_ count: Int) async throws {
    let name = "\(template.name)-${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
    let minutes = (template.lifetimeSeconds + Self.grace + 59) / 60
    let wait = "sleep $(awk \"BEGIN { print ($SLURM_ARRAY_TASK_ID - 1) * \(Self.stagger) }\")"
    _ = try await ExternalCommand.output(
      [
        "sbatch", "--parsable", "--job-name", template.name, "--array", "1-\(count)", "--time",
        "\(minutes)", "--no-requeue",
      ] + options + ["--wrap", "\(wait); \(template.line(named: name))"])
  }
}

/// A program that is not Sheaf's.
enum ExternalCommand {
  /// Calls `body`, and closes a descriptor that it used.
  private static func lending<Value>(
    _ descriptor: Int32, _ body: () throws(ProcessError) -> Value
  ) throws(ProcessError) -> Value {
    defer { close(descriptor) }
    return try body()
  }

  /// Runs a program from the search path, and returns its standard output. Its standard error is this process's.
  static func output(_ words: [String]) async throws -> String {
    try await BlockingThread.run(named: words[0]) {
      do throws(ProcessError) {
        let pipe = try Descriptors.pipe()
        let reading = FileHandle(fileDescriptor: pipe.reading, closeOnDealloc: true)
        defer { withExtendedLifetime(reading) {} }
        let spawn = Spawn(
          "/usr/bin/env", ["env"] + words, descriptors: [.null, .copy(pipe.writing), .copy(2)],
          environment: ProcessInfo.processInfo.environment, subject: words[0])
        let child = try lending(pipe.writing) { () throws(ProcessError) in
          try ProcessStarter.shared.start(spawn)
        }
        let text = String(decoding: reading.readDataToEndOfFile(), as: UTF8.self)
        let ending = child.wait()
        guard ending == .exited(0) else {
          throw ProcessError("\(words[0]) \(ending)", 0)
        }
        return text
      } catch {
        throw CommandFailure(
          .failed, "the command failed", on: "\(words[0])",
          remedy: "see its message; it must be in PATH")
      }
    }
  }
}
