import ProjectFormat
import Support
import Testing
import Timeline

/// Slides, fades through a color, and the easing of all transitions, frame by frame at 30 frames per second, for two
/// clips of 1920×1080 that overlap from second 3 on.
@Suite(.mayBlock) struct EasedTransitionTests {
  private static let functions: [TimingFunction] = [
    .linear, .easeIn, .easeOut, .easeInEaseOut,
    .cubicBezier(x1: 0.2, y1: 0.9, x2: 0.3, y2: 0.4),
  ]

  private func instruction(
    _ transition: SequenceTransition, first: MediaIndex? = nil, second: MediaIndex? = nil
  ) throws -> Instruction {
    let clip = try MediaIndex.clip(seconds: RationalTime(4), rate: RationalTime(30))
    let sequence = ClipSequence(items: [
      .clip(SequenceClip(path: "a", duration: RationalTime(4))), .transition(transition),
      .clip(SequenceClip(path: "b", duration: RationalTime(4))),
    ])
    let project = try sequence.expanded(indexes: [
      "a": first ?? clip, "b": second ?? clip,
      "map.png": MediaIndex.stillImage(size: PixelSize(width: 640, height: 360)),
    ])
    return try #require(project.videoComposition?.instructions[1])
  }

  private func transition(
    _ kind: SequenceTransition.Kind, _ direction: MotionDirection = .left,
    _ easing: TimingFunction = .linear
  ) -> SequenceTransition {
    SequenceTransition(
      kind: kind, duration: RationalTime(1), direction: direction, easing: easing,
      map: kind.isMapped ? "map.png" : nil)
  }

  /// The instants of the transition's frames, with the elapsed fraction at each.
  private func frames() throws -> [(time: RationalTime, passed: Double)] {
    try (Int64(0)..<30).map { (try RationalTime(3) + RationalTime($0, 30), Double($0) / 30) }
  }

  @Test(
    arguments: [
      (.left, 1920, 0), (.right, -1920, 0), (.up, 0, 1080), (.down, 0, -1080),
    ] as [(MotionDirection, Double, Double)])
  func `a slide moves the incoming clip in over the outgoing one`(
    direction: MotionDirection, x: Double, y: Double
  ) throws {
    let layers = try instruction(transition(.slide, direction)).layers
    #expect(layers.map(\.track) == [2, 1])
    #expect(layers[1] == LayerInstruction(track: 1))
    for frame in try frames() {
      let coming = try #require(layers[0].transform.value(at: frame.time))
      #expect(abs(coming.tx - x * (1 - frame.passed)) < 1e-9)
      #expect(abs(coming.ty - y * (1 - frame.passed)) < 1e-9)
    }
    #expect(layers[0].transform.finalValue == .identity)
  }

  @Test func `a slide moves the whole frame of a smaller incoming clip`() throws {
    let still = MediaIndex.stillImage(size: PixelSize(width: 1080, height: 1080))
    let layers = try instruction(transition(.slide, .left, .easeIn), second: still).layers
    for frame in try frames() {
      let edge = 1920 * (1 - TimingFunction.easeIn.progress(after: frame.passed))
      let leaving = try #require(layers[1].crop.value(at: frame.time))
      let coming = try #require(layers[0].transform.value(at: frame.time))
      // The still is inset by 420 pixels in its frame, whose left edge is at the end of the outgoing clip.
      #expect(abs(leaving.x + leaving.width - edge) < 1e-9)
      #expect(abs(coming.tx - 420 - edge) < 1e-9)
    }
  }

  @Test(arguments: functions)
  func `a fade reaches its color in the middle`(easing: TimingFunction) throws {
    let color = Color(red: 10, green: 20, blue: 30)
    var fade = transition(.fade, .left, easing)
    fade.color = color
    let instruction = try instruction(fade)
    #expect(instruction.backgroundColor == color)
    #expect(instruction.layers.map(\.track) == [1, 2])
    for frame in try frames() {
      let half = frame.passed * 2
      let leaving = half < 1 ? 1 - easing.progress(after: half) : 0
      let coming = half < 1 ? 0 : easing.progress(after: half - 1)
      let shown = instruction.layers.compactMap { $0.opacity.value(at: frame.time) }
      #expect(abs(shown[0] - leaving) < 1e-12)
      #expect(abs(shown[1] - coming) < 1e-12)
    }
  }

  @Test func `a fade whose middle is between two frames covers the transition exactly`() throws {
    var fade = transition(.fade)
    fade.duration = try RationalTime(7, 30)
    let instruction = try instruction(fade)
    #expect(instruction.timeRange.duration == fade.duration)
    let start = instruction.timeRange.start
    let shown = try (Int64(0)..<7).map { frame in
      try instruction.layers.compactMap {
        $0.opacity.value(at: try start + RationalTime(frame, 30))
      }
    }
    // The middle is at frame 3.5: frame 3 shows a seventh of the outgoing clip, frame 4 of the incoming one.
    for (frame, opacities) in shown.enumerated() {
      #expect(abs(opacities[0] - max(1 - Double(frame) / 3.5, 0)) < 1e-12)
      #expect(abs(opacities[1] - max(Double(frame) / 3.5 - 1, 0)) < 1e-12)
    }
  }

  @Test func `other transitions have a black background`() throws {
    for kind in SequenceTransition.Kind.allCases where !kind.isColored {
      var transition = transition(kind)
      transition.color = Color(red: 255, green: 255, blue: 255)
      #expect(try instruction(transition).backgroundColor == .black)
    }
  }

  @Test(arguments: functions)
  func `easing changes every ramp of every transition but not its ends`(easing: TimingFunction)
    throws
  {
    for kind in SequenceTransition.Kind.allCases where kind != .fade {
      let (even, eased) = (
        try instruction(transition(kind)).layers,
        try instruction(transition(kind, .left, easing)).layers
      )
      for frame in try frames() {
        // The eased transition equals the linear one at the time of equal progress.
        let progress = easing.progress(after: frame.passed)
        for (even, eased) in zip(even, eased) {
          let opacity = even.opacity.along(progress)
          #expect(eased.opacity.value(at: frame.time) == opacity)
          #expect(eased.transform.value(at: frame.time) == even.transform.along(progress))
          #expect(eased.crop.value(at: frame.time) == even.crop.along(progress))
          #expect(
            eased.mask?.progress.value(at: frame.time) == even.mask?.progress.along(progress))
        }
      }
      for (even, eased) in zip(even, eased) {
        #expect(even.opacity.finalValue == eased.opacity.finalValue)
        #expect(even.transform.finalValue == eased.transform.finalValue)
        #expect(even.crop.finalValue == eased.crop.finalValue)
      }
    }
  }
}

extension Ramps {
  /// The value at a fraction of the single ramp; `nil` without pieces.
  fileprivate func along(_ progress: Double) -> Value? {
    guard case .ramp(_, let from, let to, _) = pieces.first else { return nil }
    return from.interpolated(to: to, fraction: progress)
  }
}
