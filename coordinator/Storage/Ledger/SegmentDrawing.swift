import FarmAPI
import Planning
import Scheduling

/// A drawing of a job's segments, and the numbers of its frames by how they are made.
package struct SegmentDrawing: Hashable, Codable, Sendable {
  /// A segment to draw.
  package struct Part: Hashable, Sendable {
    package let frameCount: Int
    package let state: SegmentState
    /// How it is made; `nil` if unknown.
    package let method: SegmentMethod?
    /// Whether its chunk is another segment's.
    package let isReused: Bool

    /// Whether its packets are copied.
    fileprivate var isCopied: Bool { method?.isCopied == true }

    package init(frameCount: Int, state: SegmentState, method: SegmentMethod?, isReused: Bool) {
      self.frameCount = frameCount
      self.state = state
      self.method = method
      self.isReused = isReused
    }
  }

  /// The numbers of frames by how they are made.
  package struct Frames: Hashable, Codable, Sendable {
    package var copied = 0
    package var reused = 0
    package var encoded = 0
    /// The encoded frames by reason, by the names of `SegmentMethod.Kind`; `nil` if an earlier version recorded them.
    package var reasons: [String: Int]? = [:]
  }

  /// The text of the `SegmentStrip`.
  package let strip: String
  /// The numbers of frames; `nil` if an earlier version planned the job.
  package let frames: Frames?

  /// Draws the segments of a job in order. Returns `nil` if there are none.
  package init?(_ parts: some Collection<Part>) {
    guard !parts.isEmpty else { return nil }
    var frames = Frames()
    var reasons: [SegmentMethod.Kind: Int] = [:]
    var isKnown = true
    for part in parts {
      if part.method == nil { isKnown = false }
      if part.isReused {
        frames.reused += part.frameCount
      } else if part.isCopied {
        frames.copied += part.frameCount
      } else {
        frames.encoded += part.frameCount
        part.method?.count(part.frameCount, in: &reasons)
      }
    }
    frames.reasons = Dictionary(
      uniqueKeysWithValues: reasons.map { ($0.key.rawValue, $0.value) })
    self.frames = isKnown ? frames : nil
    strip =
      SegmentStrip(parts.lazy.map { (state: $0.stripState, frameCount: $0.frameCount) })
      .description
  }
}

/// How each segment of a job is made, in order. A job may have a million.
package struct SegmentKinds: Hashable, Sendable {
  /// The way in which most frames of each segment are made.
  package private(set) var main: [SegmentMethod.Kind] = []
  /// The numbers of frames that are encoded for other reasons, by segment.
  private var others: [Int: [SegmentMethod.Kind: Int]] = [:]

  /// - Returns: `nil` if a method is unknown.
  package init?(_ methods: some Sequence<SegmentMethod?>) {
    for (index, method) in methods.enumerated() {
      guard let method else { return nil }
      main.append(method.kind)
      if !method.others.isEmpty { others[index] = method.others }
    }
  }

  /// How a segment is made, without the time of a keyframe.
  package subscript(segment: Int) -> SegmentMethod {
    var method = SegmentMethod(main[segment])
    if let others = others[segment] { method.others = others }
    return method
  }
}

extension SegmentDrawing.Part {
  fileprivate var stripState: SegmentStrip.State {
    switch state {
    case .pending: .waiting
    case .leased: .rendering
    case .failed: .failed
    case .completed: isReused ? .reused : isCopied ? .copied : .encoded
    }
  }

  /// A segment that is being scheduled.
  package init(_ segment: ScheduledSegment, method: SegmentMethod?) {
    let state: SegmentState =
      switch segment.state {
      case .pending: .pending
      case .leased: .leased
      case .completed, .reused: .completed
      }
    self.init(
      frameCount: segment.frameCount, state: state, method: method,
      isReused: segment.state == .reused)
  }
}

extension SegmentDrawing.Frames {
  /// The reasons for encoding, the one of the most frames first; `nil` if unknown, or if nothing is encoded.
  fileprivate var encodedBecause: [EncodedFrames]? {
    guard let reasons, !reasons.isEmpty else { return nil }
    return
      reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.compactMap { name, count in
        SegmentMethod.Kind(rawValue: name).flatMap { kind in
          kind.reason.map { EncodedFrames(kind: kind, reason: $0, frameCount: count) }
        }
      }
  }
}

extension JobStatus {
  /// Adds what a drawing shows.
  package mutating func note(_ drawing: SegmentDrawing?) {
    strip = drawing?.strip
    framesCopied = drawing?.frames?.copied
    framesReused = drawing?.frames?.reused
    framesEncoded = drawing?.frames?.encoded
    encodedBecause = drawing?.frames?.encodedBecause
  }
}

extension SegmentStatus {
  /// Adds what the plan says about the segment, and whether its chunk is another segment's.
  ///
  /// - Parameter memory: the expected peak memory in bytes; 0 if unknown.
  package mutating func note(method: SegmentMethod?, memory: Int, isReused: Bool) {
    kind = method.map { $0.isCopied ? .copied : .encoded }
    reason = method?.reason
    self.memory = memory > 0 ? memory : nil
    self.isReused = isReused ? true : nil
  }
}
