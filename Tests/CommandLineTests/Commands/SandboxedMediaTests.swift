import Foundation
import Processes
import Support
import Testing

/// Media on the command line. Child processes in a sandbox open it, but no process that holds a token.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct SandboxedMediaTests {
  private static let token = "SHEAF_TOKEN=0123456789abcdef0123456789abcdef"
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try SolidClip(color: (80, 128, 128), frameCount: 30).write(to: folder.path("good.mp4"))
    try Data(Self.longSound).write(to: URL(fileURLWithPath: folder.path("long.wav")))
    // Reading so much silence takes a while.
    #expect(truncate(folder.path("long.wav"), Int(Self.soundSize) + 44) == 0)
    let project = """
      {"version": 1, "sequence": [{"clip": "good.mp4"}],
       "music": [{"clip": "long.wav"}]}
      """
    try project.write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
  }

  private static let soundSize: UInt32 = 768 << 20

  /// The head of a WAV file of 16-bit sound in stereo at 48 kHz.
  private static var longSound: [UInt8] {
    func bytes(_ value: UInt32, _ count: Int = 4) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return Array("RIFF".utf8) + bytes(soundSize + 36) + Array("WAVEfmt ".utf8) + bytes(16)
      + bytes(1, 2) + bytes(2, 2) + bytes(48_000) + bytes(192_000) + bytes(4, 2) + bytes(16, 2)
      + Array("data".utf8) + bytes(soundSize)
  }

  /// A command that a signal ended.
  private struct Ended: Error {
    let how: ProcessEnding
  }

  /// A command whose child was never seen to read the long sound.
  private struct Unseen: Error, CustomStringConvertible {
    let command: [String]
    let runs: Int

    var description: String {
      "no child of `sheaf \(command.joined(separator: " "))` was seen to read the sound in \(runs) runs"
    }
  }

  /// Runs a command, sends a signal to its child while the child reads the long sound, and returns the outcome.
  private func run(
    _ arguments: [String], endingChildBy signal: Int32,
    examining examine: (_ parent: pid_t, _ child: pid_t) throws -> Void = { _, _ in }
  ) throws -> (status: Int32, lines: [Substring]) {
    // If the child was too fast to be caught, the command runs again.
    let runs = 20
    for _ in 0..<runs {
      let process = Program.sheaf.process(arguments, in: folder.path)
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["SHEAF_TOKEN": "0123456789abcdef0123456789abcdef"]) { _, new in new }
      let errors = try SubprocessPipe()
      process.standardError = .pipe(errors)
      process.standardOutput = .null
      try process.run()
      defer { process.destroy() }
      var isHit = false
      try blockUntil(
        "a child of the command reads the sound, or the command ends", every: .milliseconds(1)
      ) {
        // Until it runs its own program, any child has the files of the command, which hashes the sound.
        for child in ChildProcesses.descendants(of: process.id)
        where ChildProcesses.arguments(of: child).first == "sheaf-media"
          && ChildProcesses.files(of: child).contains(folder.path("long.wav"))
        {
          // The child is stopped while it is examined.
          kill(child, SIGSTOP)
          guard ChildProcesses.files(of: child).contains(folder.path("long.wav")) else {
            kill(child, SIGCONT)
            continue
          }
          try examine(process.id, child)
          kill(child, signal)
          kill(child, SIGCONT)
          isHit = true
        }
        return isHit || !process.isRunning
      }
      let said = String(
        decoding: try errors.reading.readToEnd() ?? Data(), as: UTF8.self)
      let ending = process.wait()
      guard isHit else { continue }
      guard case .exited(let status) = ending else { throw Ended(how: ending) }
      return (status, said.split(separator: "\n"))
    }
    throw Unseen(command: arguments, runs: runs)
  }

  @Test(
    arguments: [
      (["probe", "long.wav"], Int32(1)), (["validate", "cut.json"], 3), (["plan", "cut.json"], 3),
      (["submit", "cut.json", "--coordinator", "http://127.0.0.1:9"], 3),
      (["render", "cut.json", "-o", "out.mp4"], 3), (["transcode", "long.wav", "out.m4a"], 3),
    ] as [([String], Int32)])
  func `a decoder crash is reported in one message that names the file`(
    arguments: [String], status: Int32
  ) throws {
    let outcome = try run(arguments, endingChildBy: SIGSEGV)
    #expect(outcome.status == status, "\(outcome.lines)")
    #expect(outcome.lines.count == 1, "\(outcome.lines)")
    #expect(outcome.lines.first?.hasPrefix("sheaf: ") == true)
    #expect(
      outcome.lines.first?.contains("long.wav: its media process was killed by signal 11") == true)
  }

  @Test func `a killed media process is not a finding about its file`() throws {
    let outcome = try run(["validate", "cut.json"], endingChildBy: SIGKILL)
    #expect(outcome.status == 1, "\(outcome.lines)")
    #expect(outcome.lines.first?.contains("long.wav: its media process was killed") == true)
  }

  @Test func `the process with the token opens no media, and the media process has no token`()
    throws
  {
    _ = try run(
      ["submit", "cut.json", "--coordinator", "http://127.0.0.1:9"], endingChildBy: SIGKILL
    ) {
      parent, child in
      #expect(ChildProcesses.environment(of: parent).contains(Self.token))
      #expect(!ChildProcesses.files(of: parent).contains { $0.hasPrefix(folder.path) })
      let children = ChildProcesses.descendants(of: parent)
      // It copied itself for the other.
      #expect(
        children.contains {
          ChildProcesses.arguments(of: $0).starts(with: ["sheaf-media", "children"])
        })
      for process in children {
        #expect(!ChildProcesses.environment(of: process).contains { $0.hasPrefix("SHEAF_") })
      }
      let status = try String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8)
      #expect(status.contains("NoNewPrivs:\t1"))
      #expect(status.contains("Seccomp:\t2"))
    }
  }

  /// The Swift files in a folder of the repository, and their contents.
  private static func sources(in folder: String) throws -> [(file: String, text: String)] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../\(folder)").standardizedFileURL
    let files = try #require(
      FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.allObjects
        as? [URL])
    return try files.filter { $0.pathExtension == "swift" }
      .map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8)) }
  }

  @Test(arguments: ["Sources/sheaf", "coordinator"])
  func `no program with a token imports a module that opens media`(folder: String) throws {
    let sources = try Self.sources(in: folder)
    #expect(sources.count > 50)
    let opening = ["CFFmpeg", "Media", "Rendering", "Typesetting"]
    let importing = sources.filter { source in
      let lines = source.text.split(separator: "\n")
      return opening.contains { module in lines.contains { $0.hasSuffix("import \(module)") } }
    }
    #expect(importing.map(\.file) == [])
  }

  // Dispatch's pool ends a process whose sandbox denies it a look at its threads in /proc.
  @Test(arguments: [
    "media", "worker/Rendering/Child", "Sources/Media", "Sources/Rendering", "Sources/Typesetting",
    "Sources/Planning", "Sources/ProjectFormat", "Sources/Timeline", "Sources/Crypto",
  ])
  func `no code that runs in a sandbox uses Dispatch's pool`(folder: String) throws {
    let sources = try Self.sources(in: folder)
    #expect(!sources.isEmpty)
    let pooled = ["DispatchQueue", "concurrentPerform", "OperationQueue", "Task {", "async let"]
    let using = sources.filter { source in pooled.contains { source.text.contains($0) } }
    #expect(using.map(\.file) == [])
  }

  @Test(arguments: HostileMedia.all)
  func `damaged media is either valid or rejected by name`(kind: HostileMedia) throws {
    let sound = try kind.bytes(in: folder)
    var generator = SeededRandom(seed: 6)
    let names = try (0..<6).map { number in
      let name = "damaged-\(number).\(kind.name)"
      try Data(HostileMedia.damaged(sound, by: &generator))
        .write(to: URL(fileURLWithPath: folder.path(name)))
      return name
    }
    let clips = names.map { #"{"clip": "\#($0)", "duration": 0.1}"# }.joined(separator: ", ")
    try #"{"version": 1, "sequence": [\#(clips)]}"#
      .write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
    let outcome = try Program.sheaf.run(["validate", "cut.json"], in: folder.path)
    #expect([0, 3].contains(outcome.status), "\(outcome.standardError)")
    for line in outcome.standardError.split(separator: "\n") {
      #expect(line.hasPrefix("sheaf: invalid project: "), "\(line)")
    }
  }
}
