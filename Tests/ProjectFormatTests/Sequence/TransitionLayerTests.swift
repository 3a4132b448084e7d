import ProjectFormat
import Support
import Testing
import Timeline

/// The layers of each kind of transition, for two clips and a transition from second 3 to 4.
@Suite(.mayBlock) struct TransitionLayerTests {
  private let second = try? TimeRange(start: RationalTime(3), duration: RationalTime(1))

  private func layers(
    _ kind: SequenceTransition.Kind, _ direction: MotionDirection = .left,
    first: MediaIndex? = nil, second: MediaIndex? = nil
  ) throws -> [LayerInstruction] {
    let clip = try MediaIndex.clip(seconds: RationalTime(4))
    let sequence = ClipSequence(items: [
      .clip(SequenceClip(path: "a")),
      .transition(
        SequenceTransition(kind: kind, duration: RationalTime(1), direction: direction)),
      .clip(SequenceClip(path: "b")),
    ])
    let project = try sequence.expanded(indexes: ["a": first ?? clip, "b": second ?? clip])
    return try #require(project.videoComposition?.instructions[1].layers)
  }

  @Test func `a dissolve fades the outgoing clip over the incoming one`() throws {
    let layers = try layers(.dissolve)
    let range = try #require(second)
    #expect(
      layers == [
        LayerInstruction(track: 1, opacity: Ramps([.ramp(timeRange: range, from: 1, to: 0)])),
        LayerInstruction(track: 2),
      ])
  }

  @Test func `a cross-dissolve fades both`() throws {
    let layers = try layers(.crossDissolve)
    let range = try #require(second)
    #expect(
      layers == [
        LayerInstruction(track: 1, opacity: Ramps([.ramp(timeRange: range, from: 1, to: 0)])),
        LayerInstruction(track: 2, opacity: Ramps([.ramp(timeRange: range, from: 0, to: 1)])),
      ])
  }

  @Test(
    arguments: [
      (.left, -1920, 0), (.right, 1920, 0), (.up, 0, -1080), (.down, 0, 1080),
    ] as [(MotionDirection, Double, Double)])
  func `a push moves both clips edge to edge by the frame's size`(
    direction: MotionDirection, x: Double, y: Double
  ) throws {
    let layers = try layers(.push, direction)
    for frame in Int64(0)..<30 {
      let time = try RationalTime(3) + RationalTime(frame, 30)
      let leaving = try #require(layers[0].transform.value(at: time))
      let coming = try #require(layers[1].transform.value(at: time))
      #expect(leaving.tx == x * (Double(frame) / 30))
      #expect(leaving.ty == y * (Double(frame) / 30))
      #expect(coming.tx == leaving.tx - x)
      #expect(coming.ty == leaving.ty - y)
    }
  }

  @Test(
    arguments: [
      (.left, PixelRect(x: -480, y: 0, width: 1920, height: 1080)),
      (.right, PixelRect(x: 480, y: 0, width: 1920, height: 1080)),
      (.up, PixelRect(x: 0, y: -270, width: 1920, height: 1080)),
      (.down, PixelRect(x: 0, y: 270, width: 1920, height: 1080)),
    ] as [(MotionDirection, PixelRect)])
  func `a wipe slides a window off the outgoing clip`(
    direction: MotionDirection, quarter: PixelRect
  ) throws {
    let layers = try layers(.wipe, direction)
    #expect(layers[0].crop.value(at: try RationalTime(13, 4)) == quarter)
    #expect(layers[1].crop.pieces.isEmpty)
  }

  @Test func `the window of a wipe is correct in a rotated clip`() throws {
    let phone = try MediaIndex.clip(
      seconds: RationalTime(4), size: PixelSize(width: 1280, height: 720),
      orientation: Orientation(quarterTurns: 1, isMirrored: false))
    let layers = try layers(.wipe, .left, first: phone)
    // The output is 720×1280, and its column x shows row 720 − x of the stored picture. The edge is at column 540.
    let leaving = try #require(layers[0].crop.value(at: try RationalTime(13, 4)))
    #expect(leaving == PixelRect(x: 0, y: 180, width: 1280, height: 720))
    #expect(layers[1].crop.pieces.isEmpty)
  }

  @Test func `a wipe crops an incoming clip that is larger than the outgoing one`() throws {
    let still = MediaIndex.stillImage(size: PixelSize(width: 1080, height: 1080))
    let sequence = ClipSequence(items: [
      .clip(SequenceClip(path: "still", duration: RationalTime(4))),
      .transition(SequenceTransition(kind: .wipe, duration: RationalTime(1))),
      .clip(SequenceClip(path: "wide")),
    ])
    let project = try sequence.expanded(indexes: [
      "still": still, "wide": try MediaIndex.clip(seconds: RationalTime(4)),
    ])
    // The still starts at column 420. After a quarter of the time, the edge is at column 1440.
    let layers = try #require(project.videoComposition?.instructions[1].layers)
    let time = try RationalTime(13, 4)
    #expect(
      layers.map { $0.crop.value(at: time) } == [
        PixelRect(x: -900, y: 0, width: 1920, height: 1080),
        PixelRect(x: 1440, y: 0, width: 1920, height: 1080),
      ])
  }
}
