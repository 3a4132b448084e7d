import Timeline

/// The paths in a sequence's file from which the segments of its composition form originate.
struct SegmentOrigins {
  /// Consecutive segments of a track that come from the same clip.
  private struct Run {
    let path: FindingPath
    /// The number of segments in the track up to the end of this run.
    let end: Int
  }

  /// The runs by track id, in segment order.
  private var runs: [Int: [Run]] = [:]

  /// Appends segments to a track.
  ///
  /// - Parameters:
  ///   - count: The number of segments.
  ///   - path: The path of the clip or music that they originate from, e.g. `sequence[0]`.
  ///   - track: The track's id.
  mutating func add(_ count: Int, from path: FindingPath, to track: Int) {
    let end = (runs[track]?.last?.end ?? 0) + count
    runs[track, default: []].append(Run(path: path, end: end))
  }

  /// The path of the clip or music that a segment originates from; `nil` if there is no such segment.
  private func path(ofSegment number: Int, in track: Int) -> FindingPath? {
    guard let runs = runs[track] else { return nil }
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].end <= number { low = middle + 1 } else { high = middle }
    }
    return low < runs.count ? runs[low].path : nil
  }

  /// Converts findings about the composition form to findings about the sequence. Duplicates, which arise because a
  /// clip can have several segments, are removed.
  func written(_ findings: [Finding], of composition: Composition) -> [Finding] {
    var seen: Set<Finding> = []
    return findings.map { written($0, of: composition) }.filter { seen.insert($0).inserted }
  }

  private func written(_ finding: Finding, of composition: Composition) -> Finding {
    var finding = finding
    if finding.path == "composition" { finding.path = "sequence" }
    let components = finding.path.components
    guard components.count >= 5, finding.path.isWithin("composition.tracks"),
      case .index(let track) = components[2], composition.tracks.indices.contains(track),
      components[3] == .key("segments"), case .index(let segment) = components[4],
      let path = path(ofSegment: segment, in: composition.tracks[track].id)
    else { return finding }
    finding.path = components.dropFirst(5) == [.key("target")] ? "\(path).speed" : "\(path).clip"
    return finding
  }
}
