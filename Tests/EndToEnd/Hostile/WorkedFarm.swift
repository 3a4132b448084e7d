import Foundation
import Support
import Testing

/// A coordinator and a worker, each a process of its own, until this goes.
final class WorkedFarm {
  let coordinator: Process
  let worker: Process
  private let folder: TemporaryDirectory
  /// Where the coordinator listens.
  let origin: String

  /// Starts both; the worker keeps its cache in `cache`, a folder of the test's.
  init(
    in folder: TemporaryDirectory, cache: String? = nil, sharesMedia: Bool = false
  ) throws {
    self.folder = folder
    let media = sharesMedia ? ["--media-root", folder.path] : []
    coordinator = Program.coordinator.process(
      ["serve", "--data", folder.path("data"), "--port", "0", "--quiet"] + media)
    origin = try coordinator.startListening()
    worker = Program.worker.process(
      ["--coordinator", origin, "--slots", "1", "--cache", cache ?? folder.path("cache")] + media)
    let log = URL(fileURLWithPath: folder.path("worker.log"))
    try Data().write(to: log)
    worker.standardError = try FileHandle(forWritingTo: log)
    try worker.run()
  }

  deinit {
    for process in [worker, coordinator] where process.isRunning {
      kill(process.processIdentifier, SIGKILL)
    }
    for process in [worker, coordinator] { process.waitUntilExit() }
  }

  /// What the worker has said.
  var log: String {
    (try? String(contentsOfFile: folder.path("worker.log"), encoding: .utf8)) ?? ""
  }

  /// The worker's render processes.
  var renderProcesses: [pid_t] { ChildProcesses.of(worker.processIdentifier) }

  /// Submits a project and waits for its file.
  func submit(
    _ project: String, output: String = "out.mp4", sharesMedia: Bool = false
  ) throws -> Process {
    let file = folder.path("cut-\(UUID().uuidString).json")
    try project.write(toFile: file, atomically: true, encoding: .utf8)
    let process = Program.sheaf.process(
      ["submit", file, "--coordinator", origin, "--watch", "-o", output, "--overwrite"]
        + (sharesMedia ? ["--shared-media"] : []), in: folder.path)
    let errors = URL(fileURLWithPath: folder.path("submit.log"))
    try Data().write(to: errors)
    process.standardError = try FileHandle(forWritingTo: errors)
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// What `sheaf submit` complained of last.
  var complaint: String {
    (try? String(contentsOfFile: folder.path("submit.log"), encoding: .utf8)) ?? ""
  }

  /// Waits until something holds; the suite's time limit says how long.
  func wait(until holds: () -> Bool) { while !holds() { usleep(5000) } }

  /// Waits until the worker renders.
  func waitForRender() { wait { log.contains("leased ") } }
}
