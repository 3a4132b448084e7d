import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// Plans of sequences that are copied, and the clips in them.
enum Copied {
  /// A clip of 4 s at 25 frames per second with a keyframe every second, which can end after every third frame.
  static func clip(_ change: (inout MediaIndex) -> Void = { _ in }) throws -> MediaIndex {
    var index = try MediaIndex.clip(seconds: RationalTime(4))
    index.video[0].copying = CopyPoints(
      starts: [0, 25, 50, 75], ends: Array(stride(from: 1, through: 100, by: 3)), delay: 2,
      parameterSetIDs: [0])
    change(&index)
    return index
  }

  /// An AV1 clip of the same length, which can be cut before each frame.
  static func clipOfAV1(
    _ header: [UInt8], _ change: (inout MediaIndex) -> Void = { _ in }
  ) throws -> MediaIndex {
    try clip { index in
      index.video[0].codec = "av1"
      index.video[0].parameterSets = [0x81, 0, 0, 0]
      index.video[0].copying = CopyPoints(
        starts: [0, 25, 50, 75], ends: Array(1...100), delay: 0, sequenceHeaders: [header],
        chromaPosition: 0)
      change(&index)
    }
  }

  /// The segments of a plan, e.g. "copied 0..<100".
  static func ranges(_ plan: Plan) -> [String] {
    plan.segments.map { "\($0.copy == nil ? "encoded" : "copied") \($0.first)..<\($0.end)" }
  }

  /// The plan of a sequence, after checking it.
  ///
  /// - Parameters:
  ///   - first: the first frame of the exported time range.
  ///   - sequence: the items as JSON.
  static func plan(
    _ indexes: [String: MediaIndex], export: String = #"{"preset": "passthrough"}"#,
    from first: Int = 0, _ sequence: String
  ) throws -> Plan {
    let text = #"{"version": 1, "sequence": [\#(sequence)], "export": \#(export)}"#
    guard case .sequence(let read) = try ProjectDocument.parse(Array(text.utf8)) else {
      Issue.record("not a sequence")
      throw CancellationError()
    }
    let plan = try Planned.plan(read, indexes)
    Planned.check(plan, from: first)
    return plan
  }

  /// The findings about a sequence; none if it can be planned.
  static func refusal(
    _ indexes: [String: MediaIndex], export: String = #"{"preset": "passthrough"}"#,
    _ sequence: String
  ) -> [String] {
    do {
      _ = try plan(indexes, export: export, sequence)
      return []
    } catch let error as ProjectError {
      return error.lines
    } catch {
      return ["\(error)"]
    }
  }
}
