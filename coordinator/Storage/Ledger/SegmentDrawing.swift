import FarmAPI
import Planning
import Scheduling

/// A drawing of a job's segments, and the numbers of its frames by how they are made.
package struct SegmentDrawing: Hashable, Codable, Sendable {
  /// A segment to draw.
  package struct Part: Hashable, Sendable {
    package let frameCount: Int
    package let state: SegmentState
    /// Whether its packets are copied; `nil` if unknown.
    package let isCopied: Bool?
    /// Whether its chunk is another segment's.
    package let isReused: Bool

    package init(frameCount: Int, state: SegmentState, isCopied: Bool?, isReused: Bool) {
      self.frameCount = frameCount
      self.state = state
      self.isCopied = isCopied
      self.isReused = isReused
    }
  }

  /// The numbers of frames by how they are made.
  package struct Frames: Hashable, Codable, Sendable {
    package var copied = 0
    package var reused = 0
    package var encoded = 0
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
      if part.isCopied == nil { isKnown = false }
      if part.isReused {
        frames.reused += part.frameCount
      } else if part.isCopied == true {
        frames.copied += part.frameCount
      } else {
        frames.encoded += part.frameCount
      }
    }
    self.frames = isKnown ? frames : nil
    strip =
      SegmentStrip(parts.lazy.map { (state: $0.stripState, frameCount: $0.frameCount) })
      .description
  }
}

extension SegmentDrawing.Part {
  fileprivate var stripState: SegmentStrip.State {
    switch state {
    case .pending: .waiting
    case .leased: .rendering
    case .failed: .failed
    case .completed: isReused ? .reused : isCopied == true ? .copied : .encoded
    }
  }

  /// A segment that is being scheduled.
  package init(_ segment: ScheduledSegment, isCopied: Bool?) {
    let state: SegmentState =
      switch segment.state {
      case .pending: .pending
      case .leased: .leased
      case .completed, .reused: .completed
      }
    self.init(
      frameCount: segment.frameCount, state: state, isCopied: isCopied,
      isReused: segment.state == .reused)
  }
}

extension JobStatus {
  /// Adds what a drawing shows.
  package mutating func note(_ drawing: SegmentDrawing?) {
    strip = drawing?.strip
    framesCopied = drawing?.frames?.copied
    framesReused = drawing?.frames?.reused
    framesEncoded = drawing?.frames?.encoded
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
