import Crypto
import Foundation
import Processes
import Support
import Testing

/// Media processes of a coordinator that are killed from outside.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct KilledChildTests {
  private let folder: TemporaryDirectory
  private static let project = """
    {"version": 1, "sequence": [{"clip": "clip.mp4"}], "export": {"video": {"encoderPreset": "ultrafast"}}}
    """

  init() throws {
    folder = try TemporaryDirectory()
    try Self.writeClip(in: folder)
  }

  private static func writeClip(in folder: TemporaryDirectory) throws {
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=4", "-f",
        "lavfi", "-i", "sine=duration=4", "-pix_fmt", "yuv420p", folder.path("clip.mp4"),
      ])
  }

  /// The digest of the file if nothing is killed.
  private static let expected = Result {
    let folder = try TemporaryDirectory()
    try writeClip(in: folder)
    return try Rendered(project: project, in: folder, workers: 1).digest
  }

  @Test(arguments: [
    ("read", SIGTERM), ("probe", SIGTERM), ("plan", SIGTERM), ("mix", SIGTERM),
    ("assemble", SIGTERM), ("assemble", SIGKILL),
  ])
  func `a job whose media processes are killed continues, and its file is correct`(
    service: String, signal: Int32
  ) throws {
    let expected = try Self.expected.get()
    // If the process was too fast to be caught, the test tries again on another farm.
    let tries = 20
    for _ in 0..<tries {
      try FileManager.default.removeItemIfThere(atPath: folder.path("data"))
      let farm = try WorkedFarm(in: folder)
      let job = try farm.submit(Self.project)
      defer { job.destroy() }
      var ended: Set<pid_t> = []
      // Between two looks, the processors are left to the farm.
      try blockUntil("the job ends", every: .milliseconds(1)) {
        for process in ChildProcesses.of(farm.coordinator.id)
        where ended.count < 2 && ChildProcesses.arguments(of: process).dropFirst().first == service
        {
          if kill(process, signal) == 0 { ended.insert(process) }
        }
        return !job.isRunning
      }
      #expect(job.wait() == .exited(0), "\(farm.complaint)")
      #expect(try Digest.of(file: folder.path("out.mp4")) == expected)
      if !ended.isEmpty { return }
    }
    Issue.record("no media process for \(service) was seen in \(tries) jobs")
  }
}

extension FileManager {
  fileprivate func removeItemIfThere(atPath path: String) throws {
    if fileExists(atPath: path) { try removeItem(atPath: path) }
  }
}
