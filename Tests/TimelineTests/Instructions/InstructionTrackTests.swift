import Support
import Testing
import Timeline

@Suite(.mayBlock) struct InstructionTrackTests {
  private static let size = PixelSize(width: 1920, height: 1080)

  private static func range(_ start: Int64, _ end: Int64) throws -> TimeRange {
    try TimeRange(start: RationalTime(start), end: RationalTime(end))
  }

  /// A track that shows the asset "a" for ten seconds, except for a gap.
  private static func composition(gap: TimeRange? = nil) throws -> Composition {
    let parts =
      try gap.map { [try range(0, 10).start..<$0.start, $0.end..<(try range(0, 10).end)] }
      ?? [RationalTime.zero..<RationalTime(10)]
    return Composition(tracks: [
      Track(
        id: 7, mediaType: .video,
        segments: try parts.map {
          let range = try TimeRange(start: $0.lowerBound, end: $0.upperBound)
          return TrackSegment(asset: "a", trackIndex: 0, source: range, target: range)
        })
    ])
  }

  private static func instruction(_ layers: [LayerInstruction]) throws -> Instruction {
    Instruction(timeRange: try range(2, 6), layers: layers)
  }

  @Test func `each required track is listed once`() throws {
    let layers = [4, 2, 4, 9].map { LayerInstruction(track: $0) }
    #expect(try Self.instruction(layers).requiredSourceTrackIDs == [4, 2, 9])
  }

  static let effects: [(String, LayerInstruction, Bool)] = [
    ("nothing", LayerInstruction(track: 7), true),
    (
      "the identity",
      LayerInstruction(
        track: 7, opacity: Ramps([.step(at: .zero, value: 1)]),
        transform: Ramps([.step(at: .zero, value: .identity)])), true
    ),
    (
      "what comes after",
      LayerInstruction(
        track: 7, opacity: Ramps([.step(at: RationalTime(6), value: 0)])), true
    ),
    (
      "opacity", LayerInstruction(track: 7, opacity: Ramps([.step(at: .zero, value: 0.5)])), false
    ),
    (
      "opacity in the midst of it",
      LayerInstruction(
        track: 7, opacity: Ramps([.step(at: RationalTime(5), value: 0.5)])), false
    ),
    (
      "a transform",
      LayerInstruction(
        track: 7,
        transform: Ramps([
          .step(at: .zero, value: AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 1, ty: 0))
        ])), false
    ),
    (
      "a crop",
      LayerInstruction(
        track: 7,
        crop: Ramps([.step(at: .zero, value: PixelRect(x: 0, y: 0, width: 9, height: 9))])), false
    ),
    (
      "a backdrop",
      LayerInstruction(
        track: 7,
        backdrop: Backdrop(
          rect: PixelRect(x: 0, y: 0, width: 9, height: 9), fill: .color(.black))), false
    ),
  ]

  @Test(arguments: effects)
  func `a single layer without effects passes through`(
    name: String, layer: LayerInstruction, passes: Bool
  ) throws {
    let instruction = try Self.instruction([layer])
    #expect(instruction.passthroughTrackID == (passes ? 7 : nil), "\(name)")
    let videoComposition = VideoComposition(
      renderSize: Self.size, frameDuration: try RationalTime(1, 30), instructions: [instruction])
    let indexes = ["a": try MediaIndex.clip(seconds: RationalTime(10))]
    #expect(
      videoComposition.passthroughTrackID(
        of: instruction, composition: try Self.composition(), indexes: indexes)
        == (passes ? 7 : nil), "\(name)")
  }

  @Test func `several layers or no layers do not pass through`() throws {
    let layer = LayerInstruction(track: 7)
    #expect(try Self.instruction([layer, layer]).passthroughTrackID == nil)
    #expect(try Self.instruction([]).passthroughTrackID == nil)
  }

  @Test func `pictures of another size and gaps do not pass through`() throws {
    let instruction = try Self.instruction([LayerInstruction(track: 7)])
    func id(
      _ index: MediaIndex, renderSize: PixelSize = Self.size, scale: Double = 1,
      gap: TimeRange? = nil
    ) throws -> Int? {
      VideoComposition(
        renderSize: renderSize, renderScale: scale, frameDuration: try RationalTime(1, 30),
        instructions: [instruction]
      ).passthroughTrackID(
        of: instruction, composition: try Self.composition(gap: gap), indexes: ["a": index])
    }
    let clip = try MediaIndex.clip(seconds: RationalTime(10))
    #expect(try id(clip) == 7)
    #expect(try id(clip, scale: 0.5) == nil)
    #expect(try id(clip, renderSize: PixelSize(width: 1280, height: 720)) == nil)
    #expect(try id(clip, gap: Self.range(4, 5)) == nil)
    #expect(try id(clip, gap: Self.range(7, 8)) == 7)
    let wide = try MediaIndex.clip(seconds: RationalTime(10), pixelAspectRatio: RationalTime(2))
    #expect(try id(wide) == nil)
  }

  @Test func `post-processing is on unless instructions turn it off`() throws {
    let switches = [true, true, false, true]
    let instructions = try switches.enumerated().map { number, isOn in
      Instruction(
        timeRange: try Self.range(Int64(number), Int64(number) + 1), enablePostProcessing: isOn,
        layers: [])
    }
    let videoComposition = VideoComposition(
      renderSize: Self.size, frameDuration: try RationalTime(1, 30), instructions: instructions)
    #expect(
      try videoComposition.postProcessingTimeRanges == [Self.range(0, 2), Self.range(3, 4)])
  }
}
