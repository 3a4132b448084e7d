import Crypto
import Foundation
import Processes
import Support
import Testing

/// `sheaf render` with its whole farm as processes.
@Suite(.mayBlock, .serialized, .timeLimit(.minutes(15))) struct RenderTests {
  private let folder: TemporaryDirectory
  /// A clip whose render takes a while. All its segments differ, because equal ones would be rendered once.
  private static let long = Result {
    let folder = try TemporaryDirectory()
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=30:d=60", "-c:v", "libx264",
        "-preset", "ultrafast", folder.path("long.mp4"),
      ])
    return try Data(contentsOf: URL(filePath: folder.path("long.mp4")))
  }
  /// A folder of footage, which tests do not count.
  private let footage: TemporaryDirectory

  init() throws {
    footage = try TemporaryDirectory()
    folder = try TemporaryDirectory()
    try SolidClip(color: (80, 128, 128), frameCount: 60).write(to: folder.path("a.mp4"))
    try SolidClip(color: (160, 128, 128), frameCount: 60).write(to: folder.path("b.mp4"))
  }

  private var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  /// The processes whose command lines name this test's folder, except those that search for them.
  private var processes: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { id in
        guard Int(id) != nil, let line = FileManager.default.contents(atPath: "/proc/\(id)/cmdline")
        else { return false }
        return String(decoding: line, as: UTF8.self).contains(folder.path)
      }
    }
  }

  /// The working directories of renders.
  private var workingDirectories: Set<String> {
    get throws { Set(try files.filter { $0.hasPrefix(".sheaf-render-") }) }
  }

  /// The coordinator and the worker of the render that has a working directory.
  private func farm(of directory: String) throws -> [pid_t] {
    try processes.filter { id in
      let line = FileManager.default.contents(atPath: "/proc/\(id)/cmdline") ?? Data()
      return String(decoding: line, as: UTF8.self).contains(folder.path(directory))
    }.compactMap { pid_t($0) }
  }

  /// Starts a render that takes a while, and waits until its worker has started.
  private func beginLongRender(
    _ output: String = "out.mp4", temporaryFiles: String? = nil
  ) async throws -> Subprocess {
    return try await begin(
      [
        "render", longClip(), "-o", folder.path(output), "--encoder-preset", "placebo",
        "--workers", "2",
      ], temporaryFiles: temporaryFiles)
  }

  /// The path of the long clip.
  private func longClip() throws -> String {
    let path = footage.path("long.mp4")
    if !FileManager.default.fileExists(atPath: path) {
      try Self.long.get().write(to: URL(filePath: path))
    }
    return path
  }

  private static func environment(temporaryFiles: String) -> [String: String] {
    ProcessInfo.processInfo.environment.merging(["TMPDIR": temporaryFiles]) { $1 }
  }

  /// Starts a command, and waits until its worker has started.
  private func begin(_ arguments: [String], temporaryFiles: String? = nil) async throws
    -> Subprocess
  {
    let process = Program.sheaf.process(arguments, in: folder.path)
    if let temporaryFiles {
      process.environment = Self.environment(temporaryFiles: temporaryFiles)
    }
    process.standardError = .null
    try process.run()
    try await eventually("the worker has started, or the command ends") {
      try processes.count >= 3 || !process.isRunning
    }
    return process
  }

  private func waitUntilEnded(_ process: Subprocess) async throws {
    try await eventually("the command ends") { !process.isRunning }
  }

  @Test func `clips are rendered to a file, and nothing else remains`() throws {
    let outcome = try Program.sheaf.run(
      ["render", "a.mp4", "b.mp4", "--transition", "dissolve:1", "-o", "out.mp4", "--json"],
      in: folder.path)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(outcome.standardOutput.contains(#""frameCount":90"#))
    #expect(try files == ["a.mp4", "b.mp4", "out.mp4"])
    #expect(try processes.isEmpty)
  }

  @Test func `the bytes do not depend on the number of workers`() throws {
    for workers in ["1", "2"] {
      let outcome = try Program.sheaf.run(
        ["render", "a.mp4", "b.mp4", "-o", "\(workers).mp4", "--workers", workers],
        in: folder.path)
      #expect(outcome.status == 0, "\(outcome.standardError)")
    }
    #expect(
      try Digest.of(file: folder.path("1.mp4")) == Digest.of(file: folder.path("2.mp4")))
  }

  @Test func `a render to an audio-only file contains only the sound`() throws {
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=1", "-f", "lavfi", "-i",
        "sine=d=1", "-c:v", "libx264", "-preset", "ultrafast", folder.path("c.mp4"),
      ])
    let outcome = try Program.sheaf.run(["render", "c.mp4", "-o", "out.m4a"], in: folder.path)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    let kinds = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-show_entries", "stream=codec_type", "-of", "csv=p=0",
        folder.path("out.m4a"),
      ])
    #expect(String(decoding: kinds, as: UTF8.self) == "audio\n")
  }

  @Test func `a clip behind a link is rendered`() throws {
    let elsewhere = try TemporaryDirectory()
    try FileManager.default.moveItem(
      atPath: folder.path("b.mp4"), toPath: elsewhere.path("far.mp4"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("b.mp4"), withDestinationPath: elsewhere.path("far.mp4"))
    let outcome = try Program.sheaf.run(
      ["render", "a.mp4", "b.mp4", "-o", "out.mp4"], in: folder.path)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(try files == ["a.mp4", "b.mp4", "out.mp4"])
  }

  @Test func `a local render ignores the coordinator in the environment`() throws {
    let process = Program.sheaf.process(["render", "a.mp4", "-o", "out.mp4"], in: folder.path)
    process.environment = ProcessInfo.processInfo.environment.merging([
      "SHEAF_TOKEN": "sheaf_of-another", "SHEAF_CA_FILE": "/none",
      "SHEAF_COORDINATOR": "http://127.0.0.1:1",
    ]) { $1 }
    process.standardError = .null
    try process.run()
    #expect(process.wait() == .exited(0))
    #expect(try files == ["a.mp4", "b.mp4", "out.mp4"])
  }

  @Test func `a still image is shown for the given duration`() throws {
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-i", folder.path("a.mp4"), "-frames:v", "1", folder.path("i.png")])
    let outcome = try Program.sheaf.run(
      ["render", "a.mp4", "i.png", "--still-duration", "1/2", "-o", "out.mov", "--json"],
      in: folder.path)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(outcome.standardOutput.contains(#""frameCount":75"#))
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `a signal ends a render and leaves no files`(signal: Int32) async throws {
    let process = try await beginLongRender()
    process.send(signal)
    try await waitUntilEnded(process)
    #expect(process.wait() == .exited(130))
    #expect(try files == ["a.mp4", "b.mp4"])
    #expect(try processes.isEmpty)
  }

  @Test func `an interrupted transcode leaves no files`() async throws {
    let process = try await begin([
      "transcode", longClip(), folder.path("out.mp4"), "--encoder-preset", "placebo",
      "--workers", "2",
    ])
    process.send(SIGINT)
    try await waitUntilEnded(process)
    #expect(process.wait() == .exited(130))
    #expect(try files == ["a.mp4", "b.mp4"])
    #expect(try processes.isEmpty)
  }

  @Test func `a render removes what a killed one left, but not what others use`() async throws {
    let other = try await beginLongRender()
    let kept = try #require(try workingDirectories.first)
    let killed = try await beginLongRender("second.mp4")
    let left = try await eventually("the second render has its farm") {
      try workingDirectories.subtracting([kept])
    } satisfies: {
      try $0.first.map { try farm(of: $0).count >= 2 } == true
    }
    let directory = try #require(left.first)
    killed.send(SIGKILL)
    try await waitUntilEnded(killed)
    #expect(try workingDirectories.contains(directory))
    let next = try Program.sheaf.run(
      ["render", "a.mp4", "-o", "third.mp4"], in: folder.path)
    #expect(next.status == 0, "\(next.standardError)")
    #expect(try workingDirectories == [kept])
    #expect(try farm(of: directory).isEmpty)
    #expect(try farm(of: kept).count >= 2)
    other.send(SIGTERM)
    try await waitUntilEnded(other)
    #expect(try files == ["a.mp4", "b.mp4", "third.mp4"])
  }

  @Test func `a render removes what a killed one left in another directory`() async throws {
    let (temporary, elsewhere) = (try TemporaryDirectory(), try TemporaryDirectory())
    let killed = try await beginLongRender(temporaryFiles: temporary.path)
    killed.send(SIGKILL)
    try await waitUntilEnded(killed)
    let directory = try #require(try workingDirectories.first)
    let layers = temporary.path("sheaf-layers-left")
    try FileManager.default.createDirectory(atPath: layers, withIntermediateDirectories: true)
    try Data("a picture".utf8).write(to: URL(fileURLWithPath: "\(layers)/picture"))
    let next = Program.sheaf.process(
      ["render", "a.mp4", "-o", elsewhere.path("out.mp4")], in: folder.path)
    next.environment = Self.environment(temporaryFiles: temporary.path)
    next.standardError = .null
    next.standardOutput = .null
    try next.run()
    try await waitUntilEnded(next)
    #expect(next.wait() == .exited(0))
    #expect(try workingDirectories.isEmpty)
    #expect(try farm(of: directory).isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
    #expect(try files == ["a.mp4", "b.mp4"])
  }

  @Test func `the farm of a killed render ends`() async throws {
    let process = try await beginLongRender()
    process.send(SIGKILL)
    try await waitUntilEnded(process)
    // The remaining processes must end by themselves.
    try await eventually("the remaining processes end") { try processes.isEmpty }
    #expect(try !files.contains("out.mp4"))
  }
}
