/// A compact drawing of a job's segments: consecutive runs of frames, each in one state.
///
/// As text, runs are joined by commas, and each is a letter and a number of frames: `c1500,u300,e25,r50,w9000`.
public struct SegmentStrip: Hashable, Sendable, CustomStringConvertible {
  /// The state of the frames of a segment.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Waiting for a worker.
    case waiting = "w"
    /// Leased by a worker.
    case rendering = "r"
    /// Completed by copying packets.
    case copied = "c"
    /// Completed with the chunk of an earlier job or of an identical segment.
    case reused = "u"
    /// Completed by encoding.
    case encoded = "e"
    /// Given up.
    case failed = "f"

    /// How much the state matters if frames in several states share one place: higher values win.
    fileprivate var interest: Int {
      switch self {
      case .failed: 5
      case .rendering: 4
      case .waiting: 3
      case .encoded: 2
      case .copied: 1
      case .reused: 0
      }
    }
  }

  /// Consecutive frames in one state.
  public struct Run: Hashable, Sendable {
    /// The state.
    public var state: State
    /// The number of frames, at least 1.
    public var frameCount: Int

    /// Creates a run.
    public init(_ state: State, _ frameCount: Int) {
      self.state = state
      self.frameCount = frameCount
    }
  }

  /// The maximum number of runs.
  public static let runLimit = 400

  /// The runs in order; the states of neighbors differ.
  public let runs: [Run]

  /// Creates a strip from the segments of a job in order. If it would have more than ``runLimit`` runs, it is divided
  /// into that many equal parts, and each shows its most interesting state.
  public init(_ segments: some Sequence<Run>) {
    let merged = Self.merged(segments)
    runs = merged.count <= Self.runLimit ? merged : Self.merged(Self.parts(of: merged))
  }

  /// Creates a strip from the states and frame counts of segments in order.
  public init(_ segments: some Sequence<(state: State, frameCount: Int)>) {
    self.init(segments.map { Run($0.state, $0.frameCount) })
  }

  /// Parses a strip. Returns `nil` if the text is not one.
  public init?(_ text: String) {
    var runs: [Run] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let state = part.first.flatMap({ State(rawValue: String($0)) }),
        let count = Int(part.dropFirst()), count > 0
      else { return nil }
      runs.append(Run(state, count))
    }
    self.runs = Self.merged(runs)
  }

  /// The number of frames of all runs.
  public var frameCount: Int { runs.reduce(0) { $0 + $1.frameCount } }

  /// The strip as text.
  public var description: String {
    runs.map { "\($0.state.rawValue)\($0.frameCount)" }.joined(separator: ",")
  }

  private static func merged(_ runs: some Sequence<Run>) -> [Run] {
    var merged: [Run] = []
    for run in runs where run.frameCount > 0 {
      if let last = merged.last, last.state == run.state {
        merged[merged.count - 1].frameCount += run.frameCount
      } else {
        merged.append(run)
      }
    }
    return merged
  }

  /// ``runLimit`` parts of equal length, each with the most interesting state of its frames.
  private static func parts(of runs: [Run]) -> [Run] {
    let total = runs.reduce(0) { $0 + $1.frameCount }
    var parts: [Run] = []
    var (index, start) = (0, 0)
    for part in 1...runLimit {
      let end = total * part / runLimit
      let first = total * (part - 1) / runLimit
      guard end > first else { continue }
      var state = runs[index].state
      while true {
        if runs[index].state.interest > state.interest { state = runs[index].state }
        // The run may continue in the next part.
        guard start + runs[index].frameCount < end, index + 1 < runs.count else { break }
        start += runs[index].frameCount
        index += 1
      }
      parts.append(Run(state, end - first))
      if start + runs[index].frameCount == end, index + 1 < runs.count {
        start += runs[index].frameCount
        index += 1
      }
    }
    return parts
  }
}
