import Crypto
import Foundation
import Processes
import Support
import Testing

/// The processes in which a worker opens media.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct RenderProcessTests {
  private let folder: TemporaryDirectory
  private let project = """
    {"version": 1, "sequence": [{"clip": "clip.mp4"}],
     "export": {"video": {"codec": "h264", "encoderPreset": "slow"}}}
    """

  init() throws {
    folder = try TemporaryDirectory()
    try FrameNamingClip(source: 1, frameCount: 150, width: 640, height: 360)
      .write(to: folder.path("clip.mp4"))
  }

  @Test(arguments: [
    (SIGKILL, true, "render-process-killed"), (SIGTERM, false, "render-process-killed"),
    (SIGSEGV, true, "render-process-died"), (SIGSEGV, false, "render-process-died"),
  ])
  func `a render process that dies is reported by name, and the file is correct`(
    signal: Int32, sharesMedia: Bool, code: String
  ) throws {
    let expected = try Rendered(project: project, in: folder, workers: 1, output: "whole.mp4")
    let farm = try WorkedFarm(in: folder, sharesMedia: sharesMedia)
    let job = try farm.submit(project, sharesMedia: sharesMedia)
    // The death of a process between two segments goes unnoticed.
    try farm.waitForRender()
    try blockUntil(
      within: .seconds(240), "the worker reports the death", every: .milliseconds(300)
    ) {
      for process in farm.renderProcesses { kill(process, signal) }
      return !job.isRunning || farm.log.contains("code=\(code)")
    }
    #expect(job.wait() == .exited(0), "\(farm.complaint)")
    #expect(farm.log.contains("code=\(code)"))
    #expect(farm.log.contains("clip.mp4: the render process"))
    #expect(try Digest.of(file: folder.path("out.mp4")) == expected.digest)
  }

  @Test func `a render process has no new privileges and a system call filter`() throws {
    let farm = try WorkedFarm(in: folder)
    let job = try farm.submit(project)
    try farm.waitForRender()
    let process = try #require(farm.renderProcesses.first)
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    #expect(status.contains("NoNewPrivs:\t1"))
    #expect(status.contains("Seccomp:\t2"))
    job.terminate()
    job.wait()
  }

  @Test func `a worker that is stopped ends its render processes`() throws {
    let farm = try WorkedFarm(in: folder)
    let job = try farm.submit(project)
    try farm.waitForRender()
    let processes = farm.renderProcesses
    #expect(!processes.isEmpty)
    farm.worker.terminate()
    #expect(farm.worker.wait() == .exited(0))
    #expect(farm.log.contains("given-back"))
    try blockUntil("the render processes end") {
      !processes.contains(where: ChildProcesses.isAlive)
    }
    job.terminate()
    job.wait()
  }

  @Test func `a worker that is killed leaves no render process`() throws {
    let farm = try WorkedFarm(in: folder)
    let job = try farm.submit(project)
    try farm.waitForRender()
    let processes = farm.renderProcesses
    #expect(!processes.isEmpty)
    farm.worker.send(SIGKILL)
    farm.worker.wait()
    try blockUntil("the render processes end") {
      !processes.contains(where: ChildProcesses.isAlive)
    }
    job.terminate()
    job.wait()
  }

  @Test(.enabled(if: SmallDisk.isAvailable, "needs root, to mount a tmpfs"))
  func `a worker continues without its cache if the disk is full`() throws {
    try writeNoise("size=640x360:duration=2", quantizer: 0)
    let project =
      #"{"version": 1, "sequence": [{"clip": "clip.mp4"}], "export": {"video": {"crf": 45}}}"#
    let expected = try Rendered(project: project, in: folder, workers: 1, output: "whole.mp4")
    let (chunk, clip) = try (byteCount(expected.path), byteCount(folder.path("clip.mp4")))
    // The disk has space for the chunk, but not for the clip.
    let size = chunk + (1 << 20)
    try #require(clip > size)
    let disk = try SmallDisk(bytes: size)
    defer { withExtendedLifetime(disk) {} }
    let farm = try WorkedFarm(in: folder, cache: disk.directory.path)
    let job = try farm.submit(project)
    #expect(job.wait() == .exited(0), "\(farm.complaint)")
    #expect(farm.log.contains("not-cached because=\"cannot write: the cache: No space left"))
    #expect(try Digest.of(file: folder.path("out.mp4")) == expected.digest)
  }

  @Test(.enabled(if: SmallDisk.isAvailable, "needs root, to mount a tmpfs"))
  func `a chunk that does not fit beside the cache fits on the next attempt`() throws {
    try writeNoise("size=640x360:duration=1", quantizer: 20)
    let project =
      #"{"version": 1, "sequence": [{"clip": "clip.mp4"}], "export": {"video": {"crf": 5}}}"#
    let expected = try Rendered(project: project, in: folder, workers: 1, output: "whole.mp4")
    let (chunk, clip) = try (byteCount(expected.path), byteCount(folder.path("clip.mp4")))
    // The disk has space for the clip and half of the chunk, which is enough to accept a segment.
    try #require(chunk > 4 << 20)
    let disk = try SmallDisk(bytes: clip + chunk / 2)
    defer { withExtendedLifetime(disk) {} }
    let farm = try WorkedFarm(in: folder, cache: disk.directory.path)
    let job = try farm.submit(project)
    #expect(job.wait() == .exited(0), "\(farm.complaint)")
    #expect(farm.log.components(separatedBy: "code=local-disk").count == 2)
    #expect(farm.log.contains("not-cached because=\"cannot write"))
    #expect(try Digest.of(file: folder.path("out.mp4")) == expected.digest)
  }

  /// The first place is in a part of the file that is written again for the index.
  @Test(arguments: [100_000, 1_000_000])
  func `a chunk that changes on the worker's disk while it is written is rendered again`(
    place: off_t
  ) throws {
    try writeNoise("size=640x360:duration=2", quantizer: 20)
    let project = """
      {"version": 1, "sequence": [{"clip": "clip.mp4"}],
       "export": {"video": {"encoderPreset": "superfast", "crf": 5}}}
      """
    let expected = try Rendered(project: project, in: folder, workers: 1, output: "whole.mp4")
    // Shared media is not cached, so the worker's only file without a name is the chunk.
    let farm = try WorkedFarm(in: folder, sharesMedia: true)
    let job = try farm.submit(project, sharesMedia: true)
    var isStruck = false
    try blockUntil(
      within: .seconds(240), "a chunk is damaged, or the job ends", every: .milliseconds(1)
    ) {
      isStruck = farm.flipBit(at: place, ofChunkLongerThan: 2 << 20)
      return isStruck || !job.isRunning
    }
    let ending = job.wait()
    #expect(isStruck)
    #expect(ending == .exited(0), "\(farm.complaint)")
    #expect(farm.log.components(separatedBy: "code=local-disk").count == 2)
    #expect(farm.log.contains("from what was written"))
    #expect(try Digest.of(file: folder.path("out.mp4")) == expected.digest)
  }

  /// Writes a clip of noise in which every frame is a keyframe.
  private func writeNoise(_ size: String, quantizer: Int) throws {
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i",
        "testsrc2=rate=30:\(size),noise=alls=20:allf=t", "-c:v", "libx264", "-preset",
        "ultrafast", "-qp", "\(quantizer)", "-g", "1", "-pix_fmt", "yuv420p",
        folder.path("clip.mp4"),
      ])
  }

  private func byteCount(_ path: String) throws -> Int {
    try #require(
      FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
  }
}
