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
    package let kind: SegmentMethod.Kind?
    /// The numbers of its frames that are encoded for other reasons.
    package let others: [SegmentMethod.Kind: Int]
    /// Whether its chunk is another segment's.
    package let isReused: Bool

    /// Whether its packets are copied.
    fileprivate var isCopied: Bool { kind == .copied }

    package init(
      frameCount: Int, state: SegmentState, kind: SegmentMethod.Kind?,
      others: [SegmentMethod.Kind: Int] = [:], isReused: Bool
    ) {
      self.frameCount = frameCount
      self.state = state
      self.kind = kind
      self.others = others
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
    var isKnown = true
    for part in parts {
      if part.kind == nil { isKnown = false }
      if part.isReused {
        frames.reused += part.frameCount
      } else if part.isCopied {
        frames.copied += part.frameCount
      } else {
        frames.encoded += part.frameCount
        guard let kind = part.kind else { continue }
        guard !part.others.isEmpty else {
          frames.reasons?[kind.rawValue, default: 0] += part.frameCount
          continue
        }
        var method = SegmentMethod(kind)
        method.others = part.others
        for (kind, count) in method.counts(amongFrames: part.frameCount) {
          frames.reasons?[kind.rawValue, default: 0] += count
        }
      }
    }
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
  package private(set) var others: [Int: [SegmentMethod.Kind: Int]] = [:]

  /// - Returns: `nil` if a method is unknown.
  package init?(_ methods: some Sequence<SegmentMethod?>) {
    for (index, method) in methods.enumerated() {
      guard let method else { return nil }
      main.append(method.kind)
      if !method.others.isEmpty { others[index] = method.others }
    }
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
  package init(_ segment: ScheduledSegment, _ index: Int, of kinds: SegmentKinds?) {
    let state: SegmentState =
      switch segment.state {
      case .pending: .pending
      case .leased: .leased
      case .completed, .reused: .completed
      }
    self.init(
      frameCount: segment.frameCount, state: state, kind: kinds?.main[index],
      others: kinds?.others[index] ?? [:], isReused: segment.state == .reused)
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
