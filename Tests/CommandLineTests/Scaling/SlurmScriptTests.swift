import Foundation
import Processes
import Support
import Testing
import sheaf

/// The script of a job of Slurm, as the shell runs it.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct SlurmScriptTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Starts the script as a task of a job, in a process group of its own.
  private func start(_ command: String, task: Int) throws -> Subprocess {
    let driver = SlurmDriver(
      WorkerTemplate(command: command, name: "night", slots: 2, idleSeconds: 9, coordinators: []),
      options: [])
    let process = Subprocess("/bin/sh", ["-c", driver.script(lifetime: 3600)])
    process.environment["SLURM_ARRAY_JOB_ID"] = "77"
    process.environment["SLURM_ARRAY_TASK_ID"] = "\(task)"
    _ = FileManager.default.createFile(atPath: folder.path("out"), contents: nil)
    process.standardOutput = try .writing(folder.path("out"))
    try process.run()
    return process
  }

  private func text(_ file: String) -> String {
    (try? String(contentsOfFile: folder.path(file), encoding: .utf8)) ?? ""
  }

  @Test(arguments: [(1, 3600), (3, 3588), (61, 3600)])
  func `a task begins after the one before, and ends earlier`(task: Int, lifetime: Int) throws {
    let clock = ContinuousClock()
    let begin = clock.now
    let process = try start("true && echo", task: task)
    #expect(process.wait() == .exited(0))
    #expect(clock.now - begin >= .seconds((task - 1) % 60))
    #expect(
      text("out")
        == "--name night-77_\(task) --slots 2 --exit-when-idle 9 --max-lifetime \(lifetime)\n")
  }

  /// A command that needs a second to end after a signal.
  private func worker() throws -> String {
    try folder.script(
      #"""
      trap 'sleep 1; echo given back; exit 0' TERM
      echo running
      await never
      """#)
  }

  @Test func `a job that is cancelled ends after its worker`() async throws {
    let process = try start("true && \(try worker())", task: 1)
    try await eventually("the worker runs") { text("out") == "running\n" }
    // As Slurm does: to all processes of the job.
    kill(-process.id, SIGTERM)
    #expect(process.wait() == .exited(0))
    #expect(text("out") == "running\ngiven back\n")
  }

  @Test func `a job that is cancelled before its worker begins does not start it`() async throws {
    let process = try start("echo preparing; sleep 60; \(try worker())", task: 1)
    try await eventually("the job runs") { text("out") == "preparing\n" }
    kill(-process.id, SIGTERM)
    process.wait()
    #expect(text("out") == "preparing\n")
  }
}
