import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Processes
import ProjectFormat
import Support
import Synchronization
import Testing
import Timeline

/// The real media processes, or scripts in their place.
@Suite(.mayBlock) struct MediaChildrenTests {
  private let scratch: TemporaryDirectory
  private let children = MediaChildren(limit: 2, executable: Program.mediaChildren)

  init() throws { scratch = try TemporaryDirectory() }

  /// Media processes that run a shell script instead of the program.
  private func script(_ body: String) throws -> MediaChildren {
    MediaChildren(limit: 1, executable: try scratch.script(body))
  }

  private func index(of path: String, named name: String, by others: MediaChildren? = nil)
    async throws -> MediaIndex
  {
    let files = [ProbeRequest(path: path, name: name)]
    return try #require(try await (others ?? children).indexes(of: files).first).get()
  }

  @Test(.timeLimit(.minutes(15)))
  func `one submitter's mixes leave a slot for another submitter's mixes`() async throws {
    let answer = ChildAnswer.mixed(
      MixedSound(
        report: MixReport(), blocks: Digest.of([UInt8]()), fingerprint: "libraries"))
    let text = String(decoding: try FarmCoding.encode(answer), as: UTF8.self)
    // One submitter's mixes never end.
    let children = try script(
      "while receive; do case \"$request\" in *endless*) ;; *) answer '\(text)';; esac; done")
    @Sendable func mix(of name: String, begun: Begun) async throws -> MixedSound {
      try await children.mix(for: name, telling: { _ in }) {
        begun.count.withLock { $0 += 1 }
        let part = PlanPart(offset: 0, length: 0, digest: Digest.of([UInt8]()))
        let request = MixRequest(
          mix: PlanSource(path: "plan", part: part), files: [:], output: "\(name)/mix",
          blocks: "\(name)/blocks")
        return (request, PlanFacts.Sound(part: part, sources: [], computing: 0))
      }
    }
    let begun = Begun()
    let endless = (0..<3).map { _ in
      Task { try await mix(of: "endless", begun: begun) }
    }
    try await eventually("a mix has begun") { begun.count.withLock { $0 } > 0 }
    #expect(try await mix(of: "ben", begun: Begun()).report == MixReport())
    #expect(begun.count.withLock { $0 } == 1)
    for task in endless {
      task.cancel()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
    }
  }

  /// The number of mixes that have begun.
  private final class Begun: Sendable {
    let count = Mutex(0)
  }

  @Test func `a mixing process that sends too long an answer is killed`() async throws {
    let children = try script("exec tr '\\0' x >&0 < /dev/zero")
    let error = try await #require(throws: JobError.self) {
      _ = try await children.mix(for: nil, telling: { _ in }) {
        let part = PlanPart(offset: 0, length: 0, digest: Digest.of([UInt8]()))
        let request = MixRequest(
          mix: PlanSource(path: "plan", part: part), files: [:], output: "mix", blocks: "blocks")
        return (request, PlanFacts.Sound(part: part, sources: [], computing: 0))
      }
    }
    #expect(error.failure.message.contains("an answer of more than 8388608 bytes"))
  }

  @Test func `a clip is indexed`() async throws {
    let clip = scratch.path("clip.mp4")
    _ = try Tool.run(
      "ffmpeg",
      ["-f", "lavfi", "-i", "testsrc2=size=64x64:rate=25:duration=1", "-y", clip])
    let index = try await index(of: clip, named: "clip.mp4")
    #expect(index.duration == RationalTime(1))
  }

  @Test(arguments: [0, 1, 2]) func `a media process does not use an asset whose bytes changed`(
    quarter: Int
  ) async throws {
    let clip = scratch.path("clip.mp4")
    _ = try Tool.run(
      "ffmpeg",
      ["-f", "lavfi", "-i", "testsrc2=size=64x64:rate=25:duration=1", "-y", clip])
    let file = try scratch.asset("clip.mp4")
    let sound = try await children.indexes(of: [ProbeRequest(file: file, name: "clip.mp4")])
    #expect(throws: Never.self) { try sound.first?.get() }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: clip))
    bytes[bytes.count * quarter / 4] ^= 2
    try bytes.write(to: URL(fileURLWithPath: clip))
    let answers = try await children.indexes(of: [ProbeRequest(file: file, name: "clip.mp4")])
    let error = try #require(throws: JobError.self) { try answers.first?.get() }
    #expect(error.failure.code == "damaged-asset")
    #expect(error.failure.message.contains("clip.mp4"))
  }

  private func typeset(_ content: LayerContent, files: [String: AssetFile] = [:]) async throws
    -> LayerRaster
  {
    let request = TypesetRequest(
      rasters: [RasterRequest(path: LayerPath([1, 0]), content: content, bounds: nil, scale: 1)],
      files: files, root: "animation", directory: scratch.path)
    return try #require(try await children.typeset(request).first)
  }

  @Test func `text becomes a file named after its content`() async throws {
    let text = TextContent("Sheaf", font: LayerFont(family: "DejaVu Sans", size: 20))
    let raster = try await typeset(.text(text))
    let tile = try #require(raster.tiles.first)
    #expect(raster.path == LayerPath([1, 0]))
    #expect(try Digest.of(file: scratch.path("\(tile.asset)")) == tile.asset)
  }

  @Test func `the error for a font that is not installed points to the font`() async throws {
    let text = TextContent("Sheaf", font: LayerFont(family: "DejaVu Sanz", size: 20))
    let error = try await #require(throws: ProjectError.self) { try await typeset(.text(text)) }
    #expect(error.description.contains("animation.layers[1].layers[0].font.family"))
    #expect(error.description.contains("\"DejaVu Sans\" is closest"))
  }

  @Test(arguments: ["\u{89}PNG\r\n\u{1a}\n and rubbish", "<svg rubbish", "rubbish"])
  func `the error for an image that cannot be decoded points to its layer`(text: String)
    async throws
  {
    let path = scratch.path("logo")
    try Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
      .write(to: URL(fileURLWithPath: path))
    let error = try await #require(throws: ProjectError.self) {
      try await typeset(.image(asset: "logo"), files: ["logo": try scratch.asset("logo")])
    }
    #expect(error.description.contains("animation.layers[1].layers[0].asset"))
  }

  @Test func `a file that is not media is refused and named`() async throws {
    let path = scratch.path("file")
    try "rubbish".write(toFile: path, atomically: false, encoding: .utf8)
    let error = try await #require(throws: JobError.self) {
      try await index(of: path, named: "holiday.mp4", by: children)
    }
    #expect(error.failure.code == "not-media")
    #expect(error.failure.message.contains("holiday.mp4"))
  }

  @Test func `each of many files gets its own answer in its place`() async throws {
    let clips = try (1...9).map { frames in
      let clip = scratch.path("clip-\(frames).mp4")
      try SolidClip(color: (90, 128, 128), frameCount: frames, width: 32, height: 32)
        .write(to: clip)
      return ProbeRequest(path: clip, name: "clip-\(frames)")
    }
    let rubbish = scratch.path("rubbish")
    try "rubbish".write(toFile: rubbish, atomically: false, encoding: .utf8)
    var files = clips
    for place in [2, 3, 7] {
      files.insert(ProbeRequest(path: rubbish, name: "rubbish-\(place)"), at: place)
    }
    let answers = try await children.indexes(of: files)
    try #require(answers.count == files.count)
    for (file, answer) in zip(files, answers) {
      switch answer {
      case .success(let index):
        #expect(file.name == "clip-\(index.video[0].frames.times.count)")
      case .failure(let error):
        #expect(error.failure.code == "not-media")
        #expect(error.failure.message.contains(file.name), "\(error.failure.message)")
        #expect(file.name.hasPrefix("rubbish"))
      }
    }
  }

  private static let done = "answer '{\"done\":{}}'"

  @Test(.timeLimit(.minutes(15)))
  func `an index is kept as soon as its process ends, while other processes still run`()
    async throws
  {
    let (kept, pid) = (scratch.path("kept"), scratch.path("pid"))
    let children = MediaChildren(
      limit: 2,
      executable: try scratch.script(
        """
        while receive; do
          case "$request" in
            *'"slow"'*) await \(kept);;
            *) echo $$ > \(pid);;
          esac
          \(Self.done)
        done
        """))
    let places = Mutex<[Int]>([])
    let errors = try await children.index(
      ["quick", "slow"].map { ProbeRequest(path: $0, name: $0) }, in: scratch.path, for: nil
    ) { place, _ in
      places.withLock { $0.append(place) }
      guard place == 0 else { return }
      let text = try String(contentsOfFile: pid, encoding: .utf8)
      let child = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
      #expect(kill(child, 0) == -1, "the process could still write to the index")
      try Data().write(to: URL(fileURLWithPath: kept))
    }
    #expect(errors == [nil, nil])
    #expect(places.withLock { $0 } == [0, 1])
  }

  @Test func `each indexed file has its own folder`() async throws {
    let requests = scratch.path("requests")
    let children = try script(
      """
      while receive; do
        echo "$request" >> \(requests)
        case "$request" in *'"name":"bad"'*) kill -SEGV $$;; esac
        \(Self.done)
      done
      """)
    let kept = Mutex<[Int: String]>([:])
    let errors = try await children.index(
      ["a", "b", "bad", "c"].map { ProbeRequest(path: $0, name: $0) }, in: scratch.path, for: nil
    ) { place, index in kept.withLock { $0[place] = index } }
    #expect(errors.map { $0 == nil } == [true, true, false, true])
    var outputs: [String: Set<String>] = [:]
    for line in try String(contentsOfFile: requests, encoding: .utf8).split(separator: "\n") {
      let request = try FarmCoding.decode(ProbeRequest.self, from: Data(line.utf8))
      outputs[request.name, default: []].insert(request.output ?? "")
    }
    #expect(kept.withLock { $0 }.keys.sorted() == [0, 1, 3])
    for (place, name) in [(0, "a"), (1, "b"), (3, "c")] {
      #expect(try outputs[name] == [#require(kept.withLock { $0[place] })])
    }
    let folders = outputs.values.joined().map {
      URL(fileURLWithPath: $0).deletingLastPathComponent().path
    }
    #expect(Set(folders).count == 4)
  }

  @Test(.enabled(if: Landlock.isPresent, "the kernel has no Landlock"))
  func `a process that has indexed a file cannot open another`() throws {
    let child = try ConnectedChild(
      Program.media.path, ["sheaf-media", "probe", SheafVersion.current], subject: "a child",
      largest: 1000)
    let folder = scratch.path("index")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let answers = try (1...2).map { number in
      let clip = scratch.path("clip-\(number).mp4")
      try SolidClip(color: (90, 128, 128), frameCount: 2, width: 32, height: 32).write(to: clip)
      var request = ProbeRequest(path: clip, name: "clip")
      request.output = "\(folder)/\(number)"
      let bytes = [UInt8](try FarmCoding.encode(request))
      child.channel.send(Message(bytes: bytes), hearing: child.words)
      let answer = try child.channel.receive(hearing: child.words)
      return String(decoding: answer.bytes, as: UTF8.self)
    }
    #expect(answers[0] == #"{"done":{}}"#)
    #expect(answers[1].contains("Permission denied"))
    child.channel.finish()
    #expect(child.process.wait() == .exited(1))
  }

  @Test(.timeLimit(.minutes(15)))
  func `planning does not start before its turn`() async throws {
    let (started, go, over) = (scratch.path("started"), scratch.path("go"), scratch.path("over"))
    let children = try script(
      """
      receive; touch \(started)
      await \(go)
      touch \(over); exit 1
      """)
    let request = PlanningRequest(
      project: "x", digest: .of([]), sources: [], unreadable: [:], absent: [],
      directory: scratch.path,
      frozen: scratch.path, limits: PlanningLimits())
    // There are two places, and one submitter gets only one of them.
    let first = Task { try await children.plan(request, for: "anna") }
    try await eventually("the first planning process runs") {
      FileManager.default.fileExists(atPath: started)
    }
    let hasBegun = Mutex(false)
    let second = Task {
      try await children.plan(request, for: "anna") {
        hasBegun.withLock { $0 = true }
        #expect(FileManager.default.fileExists(atPath: over), "the first one still runs")
      }
    }
    try await eventually("the second planning waits") { children.planning.isContended }
    try Data().write(to: URL(fileURLWithPath: go))
    await #expect(throws: JobError.self) { try await first.value }
    await #expect(throws: JobError.self) { try await second.value }
    #expect(hasBegun.withLock { $0 })
  }

  @Test(.timeLimit(.minutes(15)))
  func `a child that draws pictures has ended when they are returned`() async throws {
    let children = try script(
      "receive; echo $$ > \(scratch.path("pid")); answer '{\"rasters\":{\"_0\":[]}}'; exec sleep 1000"
    )
    let request = TypesetRequest(rasters: [], files: [:], root: "x", directory: scratch.path)
    #expect(try await children.typeset(request) == [])
    let text = try String(contentsOfFile: scratch.path("pid"), encoding: .utf8)
    let pid = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(pid, 0) == -1)
  }

  @Test func `a child inherits none of the coordinator's open files`() async throws {
    let children = try script("ls /proc/self/fd > \(scratch.path("descriptors"))")
    await #expect(throws: JobError.self) { try await index(of: "x", named: "x", by: children) }
    let listed = try String(contentsOfFile: scratch.path("descriptors"), encoding: .utf8)
    // The three standard descriptors, and the one through which `ls` reads the directory.
    #expect(listed.split(separator: "\n") == ["0", "1", "2", "3"])
  }
}
