import Crypto
import Planning
import Preparation
import ProjectFormat
import Support
import Synchronization
import Testing
import Timeline

/// The way from a project to its plan, with media in memory.
@Suite(.mayBlock) struct ProjectPreparationTests {
  /// Media in memory, which records what it is asked for.
  private final class Media: ProjectMedia {
    private let found: ProjectIndexes
    private let wrong: [Finding]
    private let draw: @Sendable () throws -> [LayerRaster]
    private let asked = Mutex<[String]>([])

    init(
      _ indexes: [String: MediaIndex], unreadable: [String: String] = [:],
      unseen: Set<String> = [], wrong: [Finding] = [],
      draw: @escaping @Sendable () throws -> [LayerRaster] = { [] }
    ) {
      found = ProjectIndexes(indexes: indexes, unreadable: unreadable, unseen: unseen)
      self.wrong = wrong
      self.draw = draw
    }

    /// The steps so far, in order.
    var steps: [String] { asked.withLock { $0 } }

    private func record(_ step: String) { asked.withLock { $0.append(step) } }

    func indexes(for document: ProjectDocument) -> ProjectIndexes {
      record("probe")
      return found
    }

    func findings(_ question: EncoderCheck) -> [Finding] {
      record("encoder")
      return wrong
    }

    func rasters(of requests: [RasterRequest], root: FindingPath) throws -> [LayerRaster] {
      record("typeset \(requests.count) of \(root)")
      return try draw()
    }

    func compute<Value: Sendable>(
      _ name: String, _ work: @escaping @Sendable () throws -> Value
    ) throws -> Value {
      record(name)
      return try work()
    }

    func note(_ subject: String) {}
  }

  private static let option = Finding(
    path: "export.video.options.x", problem: "there is no option x", remedy: "remove it")
  private static let font = Finding(
    path: "animation.layers[0].font.family", problem: "there is no font X", remedy: "install it")

  /// A document with one clip.
  private static func document(
    _ more: String = "", export: String = #"{"video": {"codec": "hevc"}}"#
  ) throws -> ProjectDocument {
    try ProjectDocument.parse(
      Array(
        #"{"version": 1, "sequence": [{"clip": "a.mp4", "out": 2}], "export": \#(export)\#(more)}"#
          .utf8))
  }

  private static let text = """
    , "animation": {"layers": [{"type": "text", "text": "Hi", "font": {"family": "X", "size": 20}}]}
    """

  private static func clip() throws -> [String: MediaIndex] {
    ["a.mp4": try .clip(seconds: RationalTime(4))]
  }

  private static let digests = ["a.mp4": Digest.of([1])]

  @Test func `the steps follow one another`() async throws {
    let media = Media(try Self.clip())
    let preparation = ProjectPreparation(try Self.document(), media: media)
    let plan = try await preparation.plan(preparation.examine(), digests: Self.digests)
    #expect(plan.frameCount == 50)
    #expect(media.steps == ["probe", "check", "encoder", "plan"])
  }

  @Test func `findings of the check, the encoder and the typesetter are reported together`()
    async throws
  {
    let media = Media([:], unreadable: ["a.mp4": "a.mp4: it is damaged"], wrong: [Self.option]) {
      throw ProjectError(findings: [Self.font])
    }
    let preparation = ProjectPreparation(try Self.document(Self.text), media: media)
    let error = try await #require(throws: ProjectError.self) { try await preparation.examine() }
    #expect(error.findings.contains { $0.problem.contains("it is damaged") })
    #expect(error.findings.contains(Self.option))
    #expect(error.findings.contains(Self.font))
    #expect(media.steps == ["probe", "check", "encoder", "typeset 1 of animation"])
  }

  @Test(arguments: [false, true])
  func `a missing font is ignored only if the project is planned elsewhere`(
    mayLackFonts: Bool
  ) async throws {
    let media = Media(try Self.clip()) { throw ProjectError(findings: [Self.font]) }
    let preparation = ProjectPreparation(
      try Self.document(Self.text), mayLackFonts: mayLackFonts, media: media)
    if mayLackFonts {
      #expect(try await preparation.examine().rasters == nil)
    } else {
      let error = try await #require(throws: ProjectError.self) { try await preparation.examine() }
      #expect(error.findings == [Self.font])
    }
  }

  @Test func `an asset that is not on this host is not checked`() async throws {
    let media = Media([:], unseen: ["a.mp4"])
    let preparation = ProjectPreparation(try Self.document(), media: media)
    await #expect(throws: Never.self) { try await preparation.examine() }
  }

  @Test(arguments: [false, true])
  func `a format that the encoder rejects is not continued automatically`(
    isWrong: Bool
  ) async throws {
    var index = try #require(Self.clip()["a.mp4"])
    index.video[0].codec = "hevc"
    index.video[0].copying = CopyPoints(
      starts: [0, 25, 50, 75], ends: Array(1...100), delay: 0)
    let media = Media(["a.mp4": index], wrong: isWrong ? [Self.option] : [])
    let text = #"{"version": 1, "sequence": [{"clip": "a.mp4", "in": "1/5"}]}"#
    let preparation = ProjectPreparation(
      try ProjectDocument.parse(Array(text.utf8)), media: media)
    let examined = try await preparation.examine()
    let plan = try await preparation.plan(examined, digests: Self.digests)
    #expect(
      media.steps == ["probe", "check", "encoder"] + (isWrong ? ["check"] : []) + ["plan"])
    #expect((plan.carried == nil) == isWrong)
    #expect(plan.export.video.codec == (isWrong ? .h264 : .hevc))
    #expect(Set(plan.methods ?? []).contains(SegmentMethod(.encoder)) == isWrong)
    #expect(examined.warnings.isEmpty)
  }

  @Test(arguments: ["", #", "titles": [{"title": "opener", "text": "Sheaf", "duration": 2}]"#])
  func `a warning says that passthrough can copy nothing, and why`(title: String) async throws {
    for (name, reason) in [("a.mp4", "the clip's packets cannot be copied"), ("b.mp4", nil)] {
      var indexes = try Self.clip()
      indexes["b.mp4"] = indexes["a.mp4"]
      indexes["b.mp4"]?.video[0].copying = CopyPoints(starts: [0], ends: [100], delay: 0)
      let text =
        #"{"version": 1, "sequence": [{"clip": "\#(name)"}]\#(title), "export": {"preset": "passthrough"}}"#
      let preparation = ProjectPreparation(
        try ProjectDocument.parse(Array(text.utf8)), media: Media(indexes))
      #expect(
        try await preparation.examine().warnings.map(\.description)
          == (reason.map {
            [
              "export.preset: the preset \"passthrough\" can copy nothing, because \($0); cut at keyframes, or choose the preset \"automatic\" or \"highestQuality\""
            ]
          } ?? []))
    }
  }

  @Test(arguments: [false, true])
  func `the encoder that continues copied streams is checked once they are laid out`(
    isWrong: Bool
  ) async throws {
    var index = try #require(Self.clip()["a.mp4"])
    index.video[0].codec = "av1"
    index.video[0].parameterSets = [0x81, 0, 0, 0]
    index.video[0].copying = CopyPoints(
      starts: [0, 25, 50, 75], ends: Array(1...100), delay: 0, sequenceHeaders: [[1, 2, 3]],
      chromaPosition: 0)
    let media = Media(["a.mp4": index], wrong: isWrong ? [Self.option] : [])
    let document = try Self.document(export: #"{"preset": "passthrough"}"#)
    let preparation = ProjectPreparation(document, media: media)
    let examined = try await preparation.examine()
    #expect(media.steps == ["probe", "check"])
    if isWrong {
      let error = try await #require(throws: ProjectError.self) {
        try await preparation.plan(examined, digests: Self.digests)
      }
      #expect(error.findings == [Self.option])
    } else {
      _ = try await preparation.plan(examined, digests: Self.digests)
    }
    #expect(media.steps == ["probe", "check", "plan", "encoder"])
    _ = try await preparation.layOut(examined, digests: Self.digests)
    #expect(media.steps.last == "plan")
  }
}
