import Foundation
import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// The preset `automatic`, which is the default.
@Suite(.mayBlock) struct AutomaticTests {
  private static func plan(
    _ clips: [String: MediaIndex], export: String = "{}", _ sequence: String
  ) throws -> Plan {
    try Copied.plan(clips, export: export, sequence)
  }

  /// The reason why every frame of a sequence is encoded; `nil` if some frames are copied, or for several reasons.
  private static func obstacle(
    _ clips: [String: MediaIndex], export: String = "{}", _ sequence: String
  ) throws -> SegmentMethod.Kind? {
    let plan = try plan(clips, export: export, sequence)
    let kinds = Set((plan.methods ?? []).map(\.kind))
    guard plan.carried == nil, kinds.count == 1 else { return nil }
    let usual = try Copied.plan(
      clips, export: #"{"preset": "highestQuality"}"#, sequence)
    #expect(plan.segments == usual.segments && plan.mix == usual.mix)
    return kinds.first
  }

  private static let dissolved =
    #"{"clip": "a", "in": "1/5"}, {"transition": "dissolve", "duration": 1}, {"clip": "b"}"#

  @Test func `without a preset, clips of one format are planned as with passthrough`() throws {
    let clips = ["a": try Copied.clip(), "b": try Copied.clip()]
    let plan = try Self.plan(clips, Self.dissolved)
    let strict = try Copied.plan(clips, Self.dissolved)
    #expect(plan.segments == strict.segments)
    #expect(plan.carried == strict.carried)
    #expect(plan.methods == strict.methods)
    #expect(plan.export.preset == "automatic")
    #expect(
      plan.export.continued
        == ContinuedFormat(
          asset: "a", trackIndex: 0, size: PixelSize(width: 1920, height: 1080),
          frameDuration: try RationalTime(1, 25), isStored: false))
  }

  @Test
  func `the format that fills the most time is continued, and other clips are encoded to match`()
    throws
  {
    let other = try MediaIndex.clip(
      seconds: RationalTime(2), rate: RationalTime(30), size: PixelSize(width: 1280, height: 720))
    let plan = try Self.plan(
      ["small": other, "a": Copied.clip()], #"{"clip": "small"}, {"clip": "a"}"#)
    #expect(plan.renderSize == PixelSize(width: 1920, height: 1080))
    #expect(plan.frameDuration == (try RationalTime(1, 25)))
    #expect(Copied.ranges(plan).last == "copied 50..<150")
    #expect(plan.methods?.first == SegmentMethod(.size))
    #expect(plan.segments.first?.sources.first?.name == "small")
    #expect(plan.frameRate?.reason == .copiedSource)
    #expect(plan.frameRate?.fastest?.asset == "a")
    #expect(plan.carried?.encoded?.video.crf == 17)
  }

  /// A clip that differs from the one that is continued.
  struct Difference: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let kind: SegmentMethod.Kind
    let change: @Sendable (inout MediaIndex) -> Void
  }

  private static let differences = [
    Difference(testDescription: "codec", kind: .codec) { $0.video[0].codec = "hevc" },
    Difference(testDescription: "depth", kind: .format) {
      $0.video[0].pixelFormat = "yuv420p10le"
    },
    Difference(testDescription: "color", kind: .color) { $0.video[0].color.matrix = "smpte170m" },
    Difference(testDescription: "range", kind: .color) { $0.video[0].color.range = "pc" },
    Difference(testDescription: "dynamic range", kind: .color) {
      $0.video[0].color.transfer = "smpte2084"
    },
    Difference(testDescription: "rotation", kind: .shape) {
      $0.video[0].orientation = Orientation(quarterTurns: 2, isMirrored: false)
    },
    Difference(testDescription: "clean aperture", kind: .shape) {
      $0.video[0].cleanAperture = PixelRect(x: 2, y: 2, width: 1900, height: 1060)
    },
    Difference(testDescription: "wide pixels", kind: .shape) {
      $0.video[0].pixelAspectRatio = RationalTime(2)
    },
    Difference(testDescription: "interlaced", kind: .interlaced) {
      $0.video[0].fieldOrder = "tt"
    },
    Difference(testDescription: "no copy points", kind: .packets) { $0.video[0].copying = nil },
  ]

  @Test(arguments: differences)
  func `a clip with another format is encoded beside copied clips, and shown upright`(
    difference: Difference
  ) throws {
    let other = try Copied.clip(difference.change)
    let plan = try Self.plan(
      ["a": Copied.clip(), "b": other], #"{"clip": "a"}, {"clip": "a"}, {"clip": "b"}"#)
    #expect(Copied.ranges(plan).prefix(2) == ["copied 0..<100", "copied 100..<200"])
    #expect(plan.methods?.last == SegmentMethod(difference.kind))
    let encoded = try #require(plan.segments.last)
    #expect(encoded.sources.first?.stream.orientation == other.video[0].orientation)
    #expect(encoded.sources.first?.stream.pixelAspectRatio == other.video[0].pixelAspectRatio)
    let usual = try Copied.plan(
      ["b": other], export: #"{"preset": "highestQuality"}"#, #"{"clip": "b"}"#)
    if other.video[0].displayBounds == plan.segments[0].sources[0].stream.displayBounds {
      #expect(
        encoded.slices.last?.layers.map(\.transform.pieces.count)
          == usual.segments.last?.slices.last?.layers.map(\.transform.pieces.count))
    }
  }

  @Test(arguments: [("tt", VideoSettings.Field.top), ("tb", .bottom)])
  func `interlaced footage is continued with its fields`(
    order: String, first: VideoSettings.Field
  ) throws {
    let fields = try Copied.clip { $0.video[0].fieldOrder = order }
    let other = try Copied.clip { $0.video[0].fieldOrder = first == .top ? "bb" : "tt" }
    let plan = try Self.plan(
      ["a": fields, "b": Copied.clip(), "c": other],
      #"{"clip": "a"}, {"clip": "a"}, {"clip": "b"}, {"clip": "c"}"#)
    #expect(Copied.ranges(plan).prefix(2) == ["copied 0..<100", "copied 100..<200"])
    #expect(plan.carried?.encoded?.video.firstField == first)
    #expect(Set((plan.methods ?? []).dropFirst(2)) == [SegmentMethod(.interlaced)])
  }

  @Test func `a clip with another rate is encoded at the rate that is continued`() throws {
    let slow = try MediaIndex.clip(seconds: RationalTime(2), rate: RationalTime(20))
    let plan = try Self.plan(["a": Copied.clip(), "b": slow], #"{"clip": "a"}, {"clip": "b"}"#)
    #expect(Copied.ranges(plan).first == "copied 0..<100")
    #expect(plan.methods?.last == SegmentMethod(.rate))
    #expect(plan.frameCount == 150)
  }

  /// Footage that no output continues.
  private static let obstacles = [
    Difference(testDescription: "codec", kind: .foreignCodec) { $0.video[0].codec = "mpeg2video" },
    Difference(testDescription: "VP9 in a mov file", kind: .fileType) { $0.video[0].codec = "vp9" },
    Difference(testDescription: "variable rate", kind: .variableRate) { index in
      // Each frame lasts longer than the one before.
      index.video[0].frames =
        MediaIndex.clip(
          times: (0..<100 as Range<Int64>).map { $0 * 200 + 34 * $0 * $0 }, end: 360_000,
          timeBase: index.video[0].timeBase, duration: RationalTime(4)
        ).video[0].frames
    },
    Difference(testDescription: "interlaced H.265", kind: .interlacedFootage) {
      $0.video[0].codec = "hevc"
      $0.video[0].fieldOrder = "bt"
    },
    Difference(testDescription: "interlaced 4:2:2", kind: .interlacedFootage) {
      $0.video[0].pixelFormat = "yuv422p"
      $0.video[0].fieldOrder = "tt"
    },
    Difference(testDescription: "clean aperture", kind: .aperture) {
      $0.video[0].cleanAperture = PixelRect(x: 0, y: 0, width: 1900, height: 1080)
    },
    Difference(testDescription: "alpha", kind: .alpha) { $0.video[0].pixelFormat = "yuva420p" },
    Difference(testDescription: "no copy points", kind: .fewFrames) { $0.video[0].copying = nil },
    Difference(testDescription: "one keyframe", kind: .fewFrames) {
      $0.video[0].copying = CopyPoints(starts: [0], ends: [100], delay: 0)
    },
    Difference(testDescription: "a format without an encoder", kind: .encoder) {
      $0.video[0].pixelFormat = "gray"
    },
  ]

  @Test(arguments: obstacles)
  func `footage that no output continues is encoded as with highestQuality`(
    difference: Difference
  ) throws {
    let clip = try Copied.clip(difference.change)
    #expect(
      try Self.obstacle(
        ["a": clip], export: #"{"fileType": "mov"}"#, #"{"clip": "a", "in": "1/5"}"#)
        == difference.kind)
  }

  @Test func `high dynamic range is continued only if all footage has it`() throws {
    let deep = try Copied.clip { index in
      index.video[0].codec = "hevc"
      index.video[0].pixelFormat = "yuv420p10le"
      index.video[0].color = ColorTags(
        primaries: "bt2020", transfer: "arib-std-b67", matrix: "bt2020nc", range: "tv")
    }
    let alone = try Self.plan(["a": deep], #"{"clip": "a", "in": "1/5"}"#)
    #expect(alone.carried?.encoded?.workingFormat?.color.transfer == "arib-std-b67")
    let mixed = try Self.plan(
      ["a": deep, "b": Copied.clip()], #"{"clip": "a"}, {"clip": "b", "out": 1}"#)
    #expect(mixed.carried == nil)
    #expect(Set((mixed.methods ?? []).map(\.kind)) == [.dynamicRange])
  }

  @Test func `a project without footage is encoded as with highestQuality`() throws {
    let still = MediaIndex.stillImage(size: PixelSize(width: 640, height: 360))
    #expect(
      try Self.obstacle(["a": still], #"{"clip": "a", "duration": 2}"#) == .nothingMoves)
  }

  @Test func `a size or a rate that the project sets decides which format is continued`() throws {
    let small = try Copied.clip { $0.video[0].size = PixelSize(width: 1280, height: 720) }
    let clips = ["a": try Copied.clip(), "b": small]
    func plan(_ settings: String) throws -> Plan {
      let text =
        #"{"version": 1, "sequence": [{"clip": "a"}, {"clip": "b", "out": 1}], \#(settings)}"#
      guard case .sequence(let read) = try ProjectDocument.parse(Array(text.utf8)) else {
        throw CancellationError()
      }
      return try Planned.plan(read, clips)
    }
    let chosen = try plan(#""renderSize": {"width": 1280, "height": 720}"#)
    #expect(chosen.export.continued?.asset == "b")
    #expect(Copied.ranges(chosen).last == "copied 100..<125")
    #expect(
      Set(try plan(#""renderSize": {"width": 640, "height": 360}"#).methods ?? [])
        == [SegmentMethod(.projectSize)])
    #expect(Set(try plan(#""frameRate": 30"#).methods ?? []) == [SegmentMethod(.projectRate)])
    #expect(try plan(#""frameRate": 25"#).carried != nil)
  }

  @Test func `rotated clips are copied as stored unless a transition has a direction`() throws {
    let turned = try Copied.clip {
      $0.video[0].orientation = Orientation(quarterTurns: 1, isMirrored: false)
    }
    let clips = ["a": turned, "b": turned]
    let plan = try Self.plan(clips, Self.dissolved)
    let strict = try Copied.plan(clips, Self.dissolved)
    #expect(plan.segments == strict.segments && plan.carried == strict.carried)
    #expect(plan.carried?.orientation == Orientation(quarterTurns: 1, isMirrored: false))
    let pushed = Self.dissolved.replacing("dissolve", with: "push")
    #expect(try Self.obstacle(clips, pushed) == .turned)
    #expect(
      try Self.obstacle(
        ["a": turned, "b": Copied.clip()], #"{"clip": "a"}, {"clip": "b", "out": 2}"#) == .turned)
    #expect(
      try Self.obstacle(clips, export: #"{"fileType": "mkv"}"#, Self.dissolved) == .fileType)
  }

  @Test func `clips outside the exported time range do not affect what is copied`() throws {
    let turned = try Copied.clip {
      $0.video[0].orientation = Orientation(quarterTurns: 1, isMirrored: false)
    }
    let other = try Copied.clip { $0.video[0].codec = "hevc" }
    let sequence = #"{"clip": "b"}, {"clip": "a"}, {"clip": "b"}"#
    let range = #""timeRange": {"start": 4, "duration": 4}"#
    for (preset, compatibility) in [
      ("automatic", ""), ("passthrough", ""), ("automatic", #", "compatibility": "strict""#),
    ] {
      let plan = try Copied.plan(
        ["a": turned, "b": other],
        export: #"{"preset": "\#(preset)", \#(range)\#(compatibility)}"#, from: 100, sequence)
      #expect(Copied.ranges(plan) == ["copied 100..<200"], "\(preset)\(compatibility)")
    }
  }

  @Test func `a format whose parts cannot be joined is not said to lack an encoder`() throws {
    func clip(_ chroma: Int) throws -> MediaIndex {
      try Copied.clipOfAV1([0x0A, 1, UInt8(chroma)]) { index in
        index.video[0].copying?.chromaPosition = chroma
        index.video[0].orientation = Orientation(quarterTurns: 2, isMirrored: false)
      }
    }
    #expect(
      try Self.obstacle(
        ["a": clip(1), "b": clip(2)], #"{"clip": "a"}, {"clip": "b"}"#) == .layout)
  }

  @Test func `sound is copied if the pictures are, and mixed otherwise`() throws {
    let copied = try Self.plan(["a": Copied.clip()], #"{"clip": "a"}"#)
    #expect(copied.mix?.copied != nil)
    let told = try Self.plan(["a": Copied.clip()], export: #"{"audio": {}}"#, #"{"clip": "a"}"#)
    #expect(told.mix?.copied == nil && told.carried != nil)
    let encoded = try Self.plan(
      ["a": Copied.clip { $0.video[0].codec = "mpeg2video" }], #"{"clip": "a"}"#)
    #expect(encoded.mix?.copied == nil)
  }

  @Test func `video settings without a preset encode every frame`() throws {
    let plan = try Self.plan(
      ["a": Copied.clip()], export: #"{"video": {"crf": 30}}"#, #"{"clip": "a"}"#)
    #expect(plan.carried == nil && plan.export.video.crf == 30)
    #expect(Set(plan.methods ?? []) == [SegmentMethod(.preset)])
  }

  @Test func `the expanded project is planned the same`() throws {
    let small = try Copied.clip { $0.video[0].size = PixelSize(width: 1280, height: 720) }
    let turned = try Copied.clip {
      $0.video[0].orientation = Orientation(quarterTurns: 1, isMirrored: false)
    }
    let foreign = try Copied.clip { $0.video[0].codec = "mpeg2video" }
    let lead = #"{"clip": "b", "out": 1}, {"clip": "a", "in": "1/5"}"#
    for (clips, sequence) in [
      (["a": try Copied.clip(), "b": small], lead), (["a": turned, "b": turned], lead),
      (["a": foreign, "b": small], lead),
    ] {
      let text = #"{"version": 1, "sequence": [\#(sequence)]}"#
      let document = try ProjectDocument.parse(Array(text.utf8))
        .choosingFormat(indexes: clips)
      let project = try document.project(indexes: clips)
      let digests = ["a": try Planned.digest(1), "b": try Planned.digest(2)]
      let plan = try Planner.plan(project, indexes: clips, digests: digests)
      let expanded = try ProjectDocument.parse(Array(project.json()))
      let again = try Planner.plan(
        expanded.choosingFormat(indexes: clips).project(indexes: clips), indexes: clips,
        digests: digests)
      #expect(again.segments == plan.segments && again.carried == plan.carried)
    }
  }
}
