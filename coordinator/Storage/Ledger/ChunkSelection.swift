import Foundation
import Scheduling

/// Selects chunks by who delivered them, and when. A chunk must match every property that is set; at least one is.
package struct ChunkSelection: Hashable, Codable, Sendable {
  /// The id of the token that the deliverer used.
  package var token: String?
  /// The name of the worker.
  package var worker: String?
  /// Only chunks that were delivered at this time or later.
  package var since: Date?
  /// Only chunks that were delivered at this time or earlier.
  package var until: Date?

  package init(
    token: String? = nil, worker: String? = nil, since: Date? = nil, until: Date? = nil
  ) {
    (self.token, self.worker, self.since, self.until) = (token, worker, since, until)
  }
}

extension ChunkSelection: CustomStringConvertible {
  /// The selection in words, such as `worker rack-1`.
  package var description: String {
    let parts = [
      token.map { "token \($0)" }, worker.map { "worker \($0)" },
      since.map { "since \($0.formatted(.iso8601))" },
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}

/// The uses of selected chunks.
package struct ConcernedChunks: Hashable, Sendable {
  /// The chunks that are kept for later jobs, by content key.
  package var kept: [KeptKey] = []
  /// The segments of unfinished jobs that have a selected chunk.
  package var segments: [ConcernedSegment] = []
  /// The held chunks, which are under audit.
  package var held: [ConcernedHold] = []
  /// The finished jobs whose files contain selected chunks.
  package var finished: [ConcernedJob] = []
  /// The jobs that were retried because their finished files were lost, if those files contain selected chunks.
  package var lost: [JobID] = []

  package init() {}

  /// Whether there is nothing left to drop.
  package var hasNothingToDrop: Bool {
    kept.isEmpty && segments.isEmpty && held.isEmpty && lost.isEmpty
  }
}

/// A finished job whose file contains selected chunks.
package struct ConcernedJob: Hashable, Sendable, CustomStringConvertible {
  package let id: String
  package let name: String
  /// The number of the job's segments that have a selected chunk.
  package let segments: Int

  package init(id: String, name: String, segments: Int) {
    self.id = id
    self.name = name
    self.segments = segments
  }

  /// The job in one line.
  package var description: String {
    "finished job \(id) (\(name)): contains \(segments) of these chunks"
  }
}
