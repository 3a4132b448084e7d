import ProjectFormat
import Support
import Testing
import Timeline

/// Irises, clock wipes, luma wipes and soft wipes between two clips that overlap from second 3 to 4.
@Suite(.mayBlock) struct MaskedTransitionTests {
  private static let wide = PixelSize(width: 1920, height: 1080)

  private func layers(
    _ transition: SequenceTransition, first: PixelSize = wide, second: PixelSize = wide
  ) throws -> [LayerInstruction] {
    let sequence = ClipSequence(items: [
      .clip(SequenceClip(path: "a")), .transition(transition), .clip(SequenceClip(path: "b")),
    ])
    let project = try sequence.expanded(indexes: [
      "a": try MediaIndex.clip(seconds: RationalTime(4), size: first),
      "b": try MediaIndex.clip(seconds: RationalTime(4), size: second),
      "wipe.png": MediaIndex.stillImage(size: PixelSize(width: 640, height: 360)),
    ])
    #expect(
      try ProjectDocument.parse(Array(project.json())) == .composition(project),
      "the expansion is read as it was written")
    return try #require(project.videoComposition?.instructions[1].layers)
  }

  static let kinds: [(SequenceTransition.Kind, Mask.Shape)] = [
    (.iris, .circle), (.clockWipe, .clock), (.lumaWipe, .map(asset: "wipe.png")),
    (.wipe, .edge(.up)),
  ]

  @Test(arguments: kinds) func `the incoming clip appears through a mask that opens`(
    kind: SequenceTransition.Kind, shape: Mask.Shape
  ) throws {
    let range = try TimeRange(start: RationalTime(3), duration: RationalTime(1))
    let layers = try layers(
      SequenceTransition(
        kind: kind, duration: RationalTime(1), direction: .up, easing: .easeIn, softness: 0.3,
        map: kind.isMapped ? "wipe.png" : nil))
    #expect(
      layers == [
        LayerInstruction(
          track: 2,
          mask: Mask(
            shape: shape, softness: 0.3,
            progress: Ramps([
              .ramp(timeRange: range, from: 0, to: 1, timingFunction: .easeIn)
            ]))),
        LayerInstruction(track: 1),
      ])
  }

  @Test func `a clip that does not cover the other one is masked together with its frame`() throws {
    let iris = SequenceTransition(kind: .iris, duration: RationalTime(1))
    let square = PixelSize(width: 540, height: 540)
    let layers = try layers(iris, second: square)
    // 540×540 is scaled by 2 and placed at column 420.
    #expect(
      layers[0].backdrop
        == Backdrop(
          rect: PixelRect(x: -210, y: 0, width: 960, height: 540), fill: .color(.black)))
    #expect(try self.layers(iris, first: square, second: square)[0].backdrop == nil)
    #expect(try self.layers(iris, first: square)[0].backdrop != nil)
  }

  @Test(
    arguments: [
      (
        MediaIndex.stillImage(size: PixelSize(width: 8, height: 300)),
        "has 8×300 pixels, which is too small for a map"
      ),
      (
        MediaIndex.stillImage(size: PixelSize(width: 64, height: 64), isGrayscale: false),
        "has colors, but a map must be grayscale"
      ),
      (MediaIndex.sound(seconds: RationalTime(9)), "has no video"),
      (nil, nil),
    ] as [(MediaIndex?, String?)])
  func `an unsuitable map is rejected before rendering`(
    index: MediaIndex?, problem: String?
  ) throws {
    let clip = try MediaIndex.clip(seconds: RationalTime(4))
    let transition = SequenceTransition(kind: .lumaWipe, duration: RationalTime(1), map: "m")
    let sequence = ClipSequence(items: [
      .clip(SequenceClip(path: "a")), .transition(transition), .clip(SequenceClip(path: "a")),
    ])
    #expect(sequence.assets["m"] == Asset(path: "m"))
    let error = #expect(throws: ProjectError.self) {
      try sequence.expanded(indexes: ["a": clip, "m": index ?? clip])
    }
    let wanted =
      problem.map { "\"m\" \($0)" } ?? "\"m\" is not a still image, as a map must be"
    #expect(
      error?.lines == [
        "sequence[1].map: \(wanted); use a grayscale image with at least 16 pixels on each side"
      ])
  }

  @Test func `the map of a composition is checked too`() throws {
    let text = ProjectText.composition(
      assets: #"{"a": {"path": "a.mp4"}, "m": {"path": "m.png"}}"#,
      videoComposition: ProjectText.videoComposition(
        layers: #"[{"track": 1, "mask": {"map": "m"}}]"#))
    guard case .composition(let project) = try ProjectText.parse(text) else {
      Issue.record("the project is a sequence")
      return
    }
    let clip = try MediaIndex.clip(seconds: RationalTime(10))
    let path: FindingPath = "videoComposition.instructions[0].layers[0].mask.map"
    #expect(project.maps == ["m"])
    #expect(project.findings(indexes: ["a": clip, "m": clip]).map(\.path) == [path])
    #expect(project.findings(indexes: ["a": clip]).map(\.path) == [path])
    let still = MediaIndex.stillImage(size: PixelSize(width: 64, height: 64))
    #expect(project.findings(indexes: ["a": clip, "m": still]) == [])
  }
}
