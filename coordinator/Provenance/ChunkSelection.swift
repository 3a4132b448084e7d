import Foundation

/// Chunks by who delivered them, and when. All that is given has to fit; at least one thing is.
struct ChunkSelection: Hashable, Codable, Sendable {
  /// The id of the token that was shown at delivery.
  var token: String?
  /// The name of the worker.
  var worker: String?
  /// Only chunks that were delivered at this time or later.
  var since: Date?
  /// Only chunks that were delivered at this time or earlier.
  var until: Date?
}

extension ChunkSelection: CustomStringConvertible {
  /// The selection in words, such as `worker rack-1`.
  var description: String {
    let parts = [
      token.map { "token \($0)" }, worker.map { "worker \($0)" },
      since.map { "since \($0.formatted(.iso8601))" },
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}

/// Where chunks of a selection are.
struct ConcernedChunks: Hashable, Sendable {
  /// The content keys under which some are kept for later jobs.
  var kept: [KeptKey] = []
  /// The segments of jobs that have no finished file, and have one.
  var segments: [ConcernedSegment] = []
  /// Those that are being compared with other workers' chunks.
  var held: [ConcernedHold] = []
  /// The finished jobs whose files contain some.
  var finished: [ConcernedJob] = []

  /// Whether nothing can still be dropped.
  var hasNothingToDrop: Bool { kept.isEmpty && segments.isEmpty && held.isEmpty }
}

/// A finished job whose file contains chunks of a selection.
struct ConcernedJob: Hashable, Sendable, CustomStringConvertible {
  let id: String
  let name: String
  /// How many segments have such a chunk.
  let segments: Int

  /// The job in one line.
  var description: String {
    "finished job \(id) (\(name)): \(segments) of its segments have such chunks"
  }
}
