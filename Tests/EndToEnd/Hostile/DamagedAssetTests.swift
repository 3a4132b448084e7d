import Crypto
import Foundation
import Support
import Testing

/// An asset that changes on the coordinator's disk before a worker reads it, or on the worker's own host.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct DamagedAssetTests {
  private let folder: TemporaryDirectory
  private let project =
    #"{"version": 1, "sequence": [{"clip": "clip.mp4"}], "export": {"preset": "highestQuality"}}"#

  init() throws {
    folder = try TemporaryDirectory()
    try FrameNamingClip(source: 1, frameCount: 60, width: 320, height: 180)
      .write(to: folder.path("clip.mp4"))
    try project.write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
  }

  /// Flips a bit in the middle of a file, and preserves its times to the nanosecond.
  private func flip(_ path: String) throws {
    var before = stat()
    guard stat(path, &before) == 0 else { throw CocoaError(.fileReadUnknown) }
    try FileDamage.flipBit(of: path)
    let times = [before.st_atim, before.st_mtim]
    guard utimensat(AT_FDCWD, path, times, 0) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  /// Submits a project file, and returns the job's id when the job waits for a worker.
  private func submit(_ file: String, to origin: String, _ flags: [String]) throws -> String {
    let submitted = try Program.sheaf.run(
      ["submit", file, "--coordinator", origin] + flags, in: folder.path)
    try #require(submitted.status == 0, "\(submitted.standardError)")
    let id = submitted.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    try blockUntil("the job waits for a worker") {
      try sheaf("job", id, "--coordinator", origin).standardOutput.contains("pending")
    }
    return id
  }

  private func sheaf(_ arguments: String...) throws -> Program.Outcome {
    try Program.sheaf.run(arguments, in: folder.path)
  }

  @Test(arguments: [false, true])
  func `an asset that changed on the disk is not rendered until it is supplied again`(
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
    worker.standardError = .null
    defer {
      for process in [worker, coordinator] where process.isRunning {
        process.destroy()
      }
    }
    let submission = ["submit", "cut.json", "--coordinator", origin]
    let flags = sharesMedia ? ["--shared-media"] : []
    let id = try submit("cut.json", to: origin, flags)
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

  @Test func `a worker whose own copy of an asset is damaged reads the coordinator's`() throws {
    let expected = try Rendered(project: project, in: folder, workers: 1, output: "whole.mp4")
    let clip = folder.path("clip.mp4")
    let shared = ["--media-root", folder.path]
    let coordinator = Program.coordinator.process(
      ["serve", "--data", folder.path("data"), "--port", "0", "--quiet"] + shared)
    let origin = try coordinator.startListening()
    // The worker's host has a copy of its own in the same place.
    let copy = folder.path("copy.mp4")
    try FileManager.default.copyItem(atPath: clip, toPath: copy)
    try FileDamage.flipBit(of: copy)
    let damaged = try Data(contentsOf: URL(fileURLWithPath: copy))
    let worker = Subprocess(
      "/usr/bin/unshare",
      (geteuid() == 0 ? [] : ["--map-root-user"]) + [
        "--mount", "sh", "-c", #"mount --bind "$1" "$2" && shift 2 && exec "$@""#, "sh", copy, clip,
        Program.worker.path, "--coordinator", origin, "--slots", "1", "--cache",
        folder.path("cache"),
      ] + shared)
    worker.standardInput = .null
    let log = folder.path("worker.log")
    try Data().write(to: URL(fileURLWithPath: log))
    worker.standardError = try .writing(log)
    defer {
      for process in [worker, coordinator] where process.isRunning {
        process.destroy()
      }
    }
    // The first job only uploads the clip, so that the coordinator has an undamaged copy besides the shared file.
    let unwanted = try submit("cut.json", to: origin, [])
    try #require(try sheaf("cancel", unwanted, "--coordinator", origin).status == 0)
    let id = try submit("cut.json", to: origin, ["--shared-media"])
    try project.replacing(#""clip.mp4""#, with: #""clip.mp4", "out": 1"#)
      .write(toFile: folder.path("part.json"), atomically: true, encoding: .utf8)
    let part = try submit("part.json", to: origin, ["--shared-media"])
    try worker.run()
    for id in [id, part] {
      let watched = try sheaf("watch", id, "--coordinator", origin)
      #expect(watched.status == 0, "\(watched.standardError)")
    }
    let fetched = try sheaf("fetch", id, "--coordinator", origin, "-o", "out.mp4")
    #expect(fetched.status == 0, "\(fetched.standardError)")
    #expect(try Digest.of(file: folder.path("out.mp4")) == expected.digest)
    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    #expect(lines.count { $0.contains(" msg=media-unusable ") } == 1, "\(lines)")
    #expect(!lines.contains { $0.contains(" msg=failed ") }, "\(lines)")
    #expect(lines.count { $0.contains(" msg=leased ") } > 1, "\(lines)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == damaged)
  }
}
