import Crypto
import Foundation
import Support
import Testing

/// An asset that changes on the coordinator's disk before a worker reads it, or on the worker's own host.
@Suite(.timeLimit(.minutes(5))) struct DamagedAssetTests {
  private let folder: TemporaryDirectory
  private let project = #"{"version": 1, "sequence": [{"clip": "clip.mp4"}]}"#

  init() throws {
    folder = try TemporaryDirectory()
    try FrameNamingClip(source: 1, frameCount: 60, width: 320, height: 180)
      .write(to: folder.path("clip.mp4"))
    try project.write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
  }

  /// Turns a bit in the middle of a file, and leaves its times as they were.
  private func flip(_ path: String) throws {
    let modified = try #require(
      FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date)
    try FileDamage.flipBit(of: path)
    try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: path)
  }

  private func sheaf(_ arguments: String...) throws -> Program.Outcome {
    try Program.sheaf.run(arguments, in: folder.path)
  }

  @Test(arguments: [false, true])
  func `no film is made of an asset that changed on the disk, and a sound one repairs it`(
    sharesMedia: Bool
  ) throws {
    let expected = try Rendered(project: project, in: folder, workers: 1, output: "whole.mp4")
    let clip = folder.path("clip.mp4")
    let sound = try Data(contentsOf: URL(fileURLWithPath: clip))
    let shared = sharesMedia ? ["--media-root", folder.path] : []
    let coordinator = Program.coordinator.process(
      ["serve", "--data", folder.path("data"), "--port", "0", "--quiet"] + shared)
    let origin = try coordinator.startListening()
    let worker = Program.worker.process(
      ["--coordinator", origin, "--slots", "1", "--cache", folder.path("cache")] + shared)
    worker.standardError = FileHandle.nullDevice
    defer {
      for process in [worker, coordinator] where process.isRunning {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
      }
    }
    let submission = ["submit", "cut.json", "--coordinator", origin]
    let flags = sharesMedia ? ["--shared-media"] : []
    let submitted = try Program.sheaf.run(submission + flags, in: folder.path)
    try #require(submitted.status == 0, "\(submitted.standardError)")
    let id = submitted.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    while try !sheaf("job", id, "--coordinator", origin).standardOutput.contains("pending") {
      usleep(20_000)
    }
    let digest = Digest.of(sound)
    let stored = folder.path("data/assets/\(digest.description.prefix(2))/\(digest)")
    try flip(sharesMedia ? clip : stored)
    try worker.run()
    let watched = try sheaf("watch", id, "--coordinator", origin)
    #expect(watched.status != 0)
    #expect(watched.standardError.contains("clip.mp4"), "\(watched.standardError)")
    #expect(watched.standardError.contains("damaged"), "\(watched.standardError)")
    try sound.write(to: URL(fileURLWithPath: clip))
    let again = try Program.sheaf.run(
      submission + flags + ["--watch", "-o", "out.mp4"], in: folder.path)
    #expect(again.status == 0, "\(again.standardError)")
    #expect(try Digest.of(file: folder.path("out.mp4")) == expected.digest)
  }
}
