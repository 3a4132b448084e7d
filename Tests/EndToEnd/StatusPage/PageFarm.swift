import Foundation
import Support
import Testing

/// A coordinator, workers and a browser that shows the status page, all ending with this object.
final class PageFarm {
  /// The folder of the farm's data and of a test's media.
  let folder: TemporaryDirectory
  /// The browser.
  let page: Chromium.Driver
  /// The coordinator's origin, such as `http://127.0.0.1:7420`.
  private(set) var url = ""
  private let options: [String]
  private var coordinator: Subprocess?
  private var inputs: [SubprocessPipe] = []
  private var processes: [Subprocess] = []

  /// Starts a coordinator with more options than the usual ones, and opens its page.
  init(_ options: [String] = [], folder: TemporaryDirectory? = nil) throws {
    self.folder = try folder ?? TemporaryDirectory()
    self.options = options
    page = try Chromium.Driver()
    try start(port: 0)
    try page.open(url)
  }

  deinit {
    for input in inputs { try? input.writing.close() }
    for process in processes where process.isRunning { process.terminate() }
  }

  private func start(port: Int) throws {
    let process = Program.coordinator.process(
      ["serve", "--data", folder.path("data"), "--port", "\(port)", "--exit-with-parent"] + options)
    try keepInput(of: process)
    url = try process.startListening()
    coordinator = process
  }

  private func keepInput(of process: Subprocess) throws {
    let input = try SubprocessPipe()
    process.standardInput = .pipe(input)
    process.standardError = .null
    inputs.append(input)
    processes.append(process)
  }

  /// Stops the coordinator.
  func stopCoordinator() {
    coordinator?.terminate()
    coordinator?.wait()
  }

  /// Starts the coordinator again, at the same address.
  func restartCoordinator() throws {
    try start(port: try #require(URL(string: url)?.port))
  }

  /// Starts a worker.
  func startWorker(named name: String, _ options: [String] = []) throws {
    let worker = Program.worker.process(
      ["--coordinator", url, "--name", name, "--cache", folder.path(name), "--exit-with-parent"]
        + options)
    try keepInput(of: worker)
    try worker.run()
  }

  /// Writes a clip of one color, and returns its path.
  func clip(_ name: String, y: Int, frames: Int) throws -> String {
    try SolidClip(color: (y, 128, 128), frameCount: frames).write(to: folder.path(name))
    return folder.path(name)
  }

  /// Submits a project with `sheaf submit`, and returns the job's id.
  ///
  /// - Parameter options: further arguments.
  @discardableResult
  func submit(
    _ project: String, named name: String, options: [String] = []
  ) throws -> String {
    try Data(project.utf8).write(to: URL(filePath: folder.path("\(name).json")))
    let outcome = try Program.sheaf.run(
      ["submit", "\(name).json", "--json", "--coordinator", url] + options, in: folder.path)
    try #require(outcome.status == 0, "\(outcome.standardError)")
    let job = try JSONSerialization.jsonObject(with: Data(outcome.standardOutput.utf8))
    return try #require((job as? [String: Any])?["id"] as? String, "\(outcome.standardOutput)")
  }

  /// Shows a part of the page, such as `jobs/7q2m`.
  func show(_ place: String) throws {
    try page.open("about:blank")
    try page.open("\(url)/#/\(place)")
  }
}
