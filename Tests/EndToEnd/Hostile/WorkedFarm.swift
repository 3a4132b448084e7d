import Foundation
import Support
import Testing

/// A coordinator and a worker as processes, which end with this object.
final class WorkedFarm {
  let coordinator: Subprocess
  let worker: Subprocess
  private let folder: TemporaryDirectory
  /// The coordinator's URL.
  let origin: String

  /// Starts both. The worker keeps its cache in `cache`, a folder of the test.
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
    worker.standardError = .file(try FileHandle(forWritingTo: log))
    try worker.run()
  }

  deinit {
    for process in [worker, coordinator] where process.isRunning {
      process.send(SIGKILL)
    }
    for process in [worker, coordinator] { process.wait() }
  }

  /// The worker's log so far.
  var log: String {
    (try? String(contentsOfFile: folder.path("worker.log"), encoding: .utf8)) ?? ""
  }

  /// The worker's render processes.
  var renderProcesses: [pid_t] {
    ChildProcesses.of(worker.id).filter { ChildProcesses.arguments(of: $0).contains("render") }
  }

  /// Flips a bit of a chunk in a file without a name. Returns `false` if the worker has no chunk that is long enough.
  func flipBit(at place: off_t, ofChunkLongerThan byteCount: off_t) -> Bool {
    let folder = "/proc/\(worker.id)/fd"
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      let path = "\(folder)/\(name)"
      guard
        (try? FileManager.default.destinationOfSymbolicLink(atPath: path))?
          .hasSuffix(" (deleted)") == true
      else { continue }
      let file = open(path, O_RDWR | O_CLOEXEC)
      guard file >= 0 else { continue }
      defer { close(file) }
      var head = [UInt8](repeating: 0, count: 8)
      var byte: UInt8 = 0
      guard lseek(file, 0, SEEK_END) > byteCount, pread(file, &head, 8, 0) == 8,
        head[4...].elementsEqual("ftyp".utf8), pread(file, &byte, 1, place) == 1
      else { continue }
      byte ^= 4
      return pwrite(file, &byte, 1, place) == 1
    }
    return false
  }

  /// Submits a project and waits for its file.
  func submit(
    _ project: String, output: String = "out.mp4", sharesMedia: Bool = false
  ) throws -> Subprocess {
    let file = folder.path("cut-\(UUID().uuidString).json")
    try project.write(toFile: file, atomically: true, encoding: .utf8)
    let process = Program.sheaf.process(
      ["submit", file, "--coordinator", origin, "--watch", "-o", output, "--overwrite"]
        + (sharesMedia ? ["--shared-media"] : []), in: folder.path)
    let errors = URL(fileURLWithPath: folder.path("submit.log"))
    try Data().write(to: errors)
    process.standardError = .file(try FileHandle(forWritingTo: errors))
    process.standardOutput = .null
    try process.run()
    return process
  }

  /// The errors of the last `sheaf submit`.
  var complaint: String {
    (try? String(contentsOfFile: folder.path("submit.log"), encoding: .utf8)) ?? ""
  }

  /// Waits until the worker renders.
  func waitForRender() throws {
    try blockUntil("the worker renders") { log.contains("leased ") }
  }
}
