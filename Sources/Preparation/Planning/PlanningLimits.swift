import FarmAPI

/// Limits on reading, probing and planning one project.
package struct PlanningLimits: Hashable, Codable, Sendable {
  /// Bytes of address space of a process.
  package var memory = 2 << 30
  /// Seconds of processor time for reading or planning a project.
  package var seconds = 60
  /// Seconds of processor time for probing an asset, in addition to the time for its length.
  package var probeSeconds = 60
  /// Values in a project's JSON: object members, array elements, and the objects and arrays themselves.
  package var values = 1_000_000
  /// Files that a project may name.
  package var files = 10_000
  /// Tracks in a project's composition.
  package var tracks = 1000
  /// Track segments of a composition, or clips of a sequence.
  package var clips = 50_000
  /// Segments of a plan.
  package var segments = 20_000
  /// Bytes of a segment's description, or of the plan's description of the whole file.
  package var segmentBytes = 4 << 20
  /// Frames in a media index.
  package var frames = 1 << 25
  /// Bytes of a media index.
  package var indexBytes = 64 << 20
  /// Entries in the edit lists of a file.
  package var editListEntries = 10_000

  package init() {}

  /// The larger value of each limit.
  package func union(_ other: PlanningLimits) -> PlanningLimits {
    var larger = PlanningLimits()
    for limit in Self.all {
      larger[keyPath: limit] = max(self[keyPath: limit], other[keyPath: limit])
    }
    return larger
  }

  private static var all: [WritableKeyPath<PlanningLimits, Int>] {
    [
      \.memory, \.seconds, \.probeSeconds, \.values, \.files, \.tracks, \.clips, \.segments,
      \.segmentBytes, \.frames, \.indexBytes, \.editListEntries,
    ]
  }

  /// The ratio of the time for an answer to the limit on processor time, because the host may be busy.
  package static let patience = 8

  /// The minimum number of an asset's bytes that are probed in a second of processor time.
  private static let probedBytesPerSecond: Int64 = 50_000_000

  /// Seconds of processor time for probing an asset of the given length.
  package func probeSeconds(byteCount: Int64) -> Int {
    probeSeconds + Int(byteCount / Self.probedBytesPerSecond)
  }
}

extension JobError {
  /// The error for something that exceeds the limit of an option.
  package static func beyond(_ option: String, _ problem: String, _ remedy: String) -> JobError {
    JobError(.limitReached, "\(problem) (\(option)): \(remedy)")
  }
}
