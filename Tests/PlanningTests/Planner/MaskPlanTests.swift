import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// Masks, backdrops and render scale in the segments of a plan.
@Suite(.mayBlock) struct MaskPlanTests {
  private func plan(lead: Int64 = 4, _ transition: SequenceTransition) throws -> Plan {
    let sequence = ClipSequence(
      items: [
        .clip(SequenceClip(path: "a", duration: RationalTime(lead))),
        .clip(SequenceClip(path: "a", inPoint: RationalTime(1))), .transition(transition),
        .clip(SequenceClip(path: "b")),
      ], fit: .blur)
    return try Planned.plan(
      sequence,
      [
        "a": try MediaIndex.clip(seconds: RationalTime(8)),
        "b": try MediaIndex.clip(
          seconds: RationalTime(4), size: PixelSize(width: 1080, height: 1920)),
        "m": MediaIndex.stillImage(size: PixelSize(width: 640, height: 360)),
      ])
  }

  private func transition(_ kind: SequenceTransition.Kind) -> SequenceTransition {
    SequenceTransition(
      kind: kind, duration: RationalTime(1), softness: 0.25, map: kind.isMapped ? "m" : nil)
  }

  @Test func `the map of a luma wipe is a source of its segment`() throws {
    let plan = try plan(transition(.lumaWipe))
    let masked = plan.segments.filter { $0.slices.contains { $0.layers[0].mask != nil } }
    #expect(masked.count == 1)
    let layer = try #require(masked.first?.slices[0].layers[0])
    guard case .map(let source) = layer.mask?.shape else {
      Issue.record("no map")
      return
    }
    let stream = try #require(masked.first?.sources[source])
    #expect(stream.name == "m")
    #expect(stream.isStillImage)
    #expect(stream.stream.frames.times == [0])
    #expect(layer.mask?.softness == 0.25)
    #expect(layer.backdrop != nil)
    Planned.check(plan)
  }

  @Test(arguments: [SequenceTransition.Kind.iris, .clockWipe, .lumaWipe])
  func `a masked segment that moved keeps its key`(kind: SequenceTransition.Kind) throws {
    let keys = try [Int64(4), 6].map { lead in
      try plan(lead: lead, transition(kind)).segments.filter { $0.slices[0].layers.count > 1 }
        .map { try $0.contentKey(fingerprint: "x") }
    }
    #expect(keys[0].count == 1)
    #expect(keys[0] == keys[1])
  }

  @Test func `mask and backdrop affect the key`() throws {
    let segment = try #require(
      try plan(transition(.iris)).segments.first { $0.slices[0].layers.count > 1 })
    var changed = Array(repeating: segment, count: 5)
    changed[0].slices[0].layers[0].mask?.softness = 0.5
    changed[1].slices[0].layers[0].mask?.shape = .clock
    changed[2].slices[0].layers[0].mask = nil
    changed[3].slices[0].layers[0].backdrop = nil
    changed[4].slices[0].layers[0].mask?.progress = Ramps()
    let keys = try Set((changed + [segment]).map { try $0.contentKey(fingerprint: "x") })
    #expect(keys.count == 6)
  }

  @Test func `a map without a digest is refused`() throws {
    let sequence = ClipSequence(items: [
      .clip(SequenceClip(path: "a")), .transition(transition(.lumaWipe)),
      .clip(SequenceClip(path: "a")),
    ])
    let indexes = [
      "a": try MediaIndex.clip(seconds: RationalTime(4)),
      "m": MediaIndex.stillImage(size: PixelSize(width: 640, height: 360)),
    ]
    let project = try sequence.expanded(indexes: indexes)
    let error = #expect(throws: ProjectError.self) {
      try Planner.plan(project, indexes: indexes, digests: ["a": Planned.digest(1)])
    }
    #expect(error?.findings.map(\.path) == ["assets.m"])
  }

  @Test func `a scaled composition is planned like one that is drawn at the output's size`()
    throws
  {
    let range = try TimeRange(start: .zero, duration: RationalTime(2))
    func plan(_ size: PixelSize, scale: Double, _ transform: AffineTransform) throws -> Plan {
      let project = Project(
        assets: ["a": Asset(path: "a")],
        composition: Composition(tracks: [
          Track(
            id: 1, mediaType: .video,
            segments: [TrackSegment(asset: "a", trackIndex: 0, source: range, target: range)])
        ]),
        videoComposition: VideoComposition(
          renderSize: size, renderScale: scale, frameDuration: try RationalTime(1, 25),
          instructions: [
            Instruction(
              timeRange: range,
              layers: [
                LayerInstruction(
                  track: 1, transform: Ramps([.step(at: .zero, value: transform)]))
              ])
          ]))
      return try Planner.plan(
        project, indexes: ["a": try MediaIndex.clip(seconds: RationalTime(2))],
        digests: ["a": Planned.digest(1)])
    }
    let moved = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 100, ty: -40)
    let half = AffineTransform(a: 0.5, b: 0, c: 0, d: 0.5, tx: 50, ty: -20)
    #expect(
      try plan(PixelSize(width: 1280, height: 720), scale: 0.5, moved)
        == plan(PixelSize(width: 640, height: 360), scale: 1, half))
  }
}
