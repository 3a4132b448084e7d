import Timeline

/// The clips of a sequence, with their media, arranged in time.
struct SequenceLayout {
  /// A clip with its place in the output.
  struct PlacedClip {
    /// The index of the clip in the sequence's items.
    let item: Int
    let clip: SequenceClip
    let index: MediaIndex
    let target: TimeRange
    /// The ranges of the file and their times, each at a constant speed. They fill ``target`` without gaps.
    let mappings: [(source: TimeRange, target: TimeRange)]
    /// The transition from the previous clip, at the start of ``target``.
    let incoming: SequenceTransition?
    /// The transition to the next clip, at the end of ``target``.
    let outgoing: SequenceTransition?
  }

  /// A clip without its place in the output.
  private struct Entry {
    let item: Int
    let clip: SequenceClip
    let index: MediaIndex
    let source: TimeRange
    /// The duration of the clip, in seconds of the output.
    let length: RationalTime
    var incoming: SequenceTransition?
    var outgoing: SequenceTransition?
  }

  /// The clips in order.
  private(set) var clips: [PlacedClip] = []
  /// The length of the output, in seconds; `nil` if problems prevent arranging the clips.
  private(set) var duration: RationalTime?

  /// Arranges the clips. Each one overlaps the previous one by the duration of the transition between them. Problems
  /// are added to `findings`.
  ///
  /// - Parameter isSound: Whether the sequence itself has no findings. If it has any, nothing is arranged.
  init(
    _ sequence: ClipSequence, isSound: Bool, indexes: [String: MediaIndex],
    findings: inout [Finding]
  ) throws(TimeError) {
    var entries: [Entry] = []
    /// The ranges that clips without in and out points play, by asset.
    var whole: [String: TimeRange] = [:]
    var transition: SequenceTransition?
    /// Whether the previous item is the last entry.
    var followsEntry = false
    for (item, entry) in sequence.items.enumerated() {
      switch entry {
      case .transition(let next):
        transition = next
        if let map = next.map {
          let path: FindingPath = "sequence[\(item)].map"
          findings +=
            indexes[map]?.mapFindings(named: map, at: path) ?? [.notRead(map, at: path)]
        }
        if followsEntry { entries[entries.count - 1].outgoing = next }
      case .clip(let clip):
        let path: FindingPath = "sequence[\(item)]"
        followsEntry = false
        if whole[clip.path] == nil, let index = indexes[clip.path], !index.isStillImage {
          whole[clip.path] = try index.wholeClip()
        }
        if let index = indexes[clip.path],
          let source = try clip.source(
            in: index, whole: whole[clip.path], at: path, findings: &findings),
          let length = try clip.length(of: source, in: index, at: path, findings: &findings)
        {
          entries.append(
            Entry(
              item: item, clip: clip, index: index, source: source, length: length,
              incoming: transition))
          followsEntry = true
        } else if indexes[clip.path] == nil {
          findings.append(.notRead(clip.path, at: "\(path).clip"))
        }
        transition = nil
      }
    }
    for entry in entries { try Self.check(entry, findings: &findings) }
    guard isSound, findings.isEmpty else { return }
    var end = RationalTime.zero
    for entry in entries {
      let start = try end - (entry.incoming?.duration ?? .zero)
      let target = try TimeRange(start: start, duration: entry.length)
      clips.append(
        PlacedClip(
          item: entry.item, clip: entry.clip, index: entry.index, target: target,
          mappings: try entry.clip.speed.mappings(of: entry.source, from: start),
          incoming: entry.incoming, outgoing: entry.outgoing))
      end = target.end
    }
    duration = end
  }

  /// Checks that a clip is long enough for its transitions, which must not overlap.
  private static func check(_ entry: Entry, findings: inout [Finding]) throws(TimeError) {
    let needed = try (entry.incoming?.duration ?? .zero) + (entry.outgoing?.duration ?? .zero)
    let length = entry.length
    guard needed > length else { return }
    let missing = try needed - length
    let both = entry.incoming != nil && entry.outgoing != nil
    findings.append(
      Finding(
        path: "sequence[\(entry.item)]",
        problem: "\"\(entry.clip.path)\" plays for \(length.shortDecimal()) s, but the "
          + (both ? "transitions at its two ends take" : "transition at its end takes")
          + " \(needed.shortDecimal(roundedUp: true)) s",
        remedy: "lengthen the clip or shorten the transition by"
          + " \(missing.shortDecimal(roundedUp: true)) s"))
  }
}

extension SequenceClip {
  /// The range of the asset that the clip plays; `nil` if a finding states why it cannot play.
  ///
  /// - Parameter whole: The range that the clip would play without in and out points.
  fileprivate func source(
    in index: MediaIndex, whole: TimeRange?, at path: FindingPath, findings: inout [Finding]
  ) throws(TimeError) -> TimeRange? {
    guard index.video.first?.frames.times.isEmpty == false else {
      findings.append(
        Finding(
          path: "\(path).clip", problem: "\"\(self.path)\" has no video",
          remedy: "use a file with video, or move it to \"music\""))
      return nil
    }
    if index.isStillImage {
      let start = inPoint ?? .zero
      if let duration { return try TimeRange(start: start, duration: duration) }
      if let outPoint { return try TimeRange(start: start, end: outPoint) }
      findings.append(
        Finding(
          path: "\(path).duration", problem: "\"\(self.path)\" is a still image without a duration",
          remedy: "add \"duration\""))
      return nil
    }
    let start = inPoint ?? whole?.start ?? .zero
    // A clip that starts after the end of the video plays the rest of the audio.
    let wholeEnd = whole.map { start < $0.end ? $0.end : index.duration } ?? index.duration
    let end =
      if let duration { try start + duration } else { outPoint ?? wholeEnd }
    let key = duration != nil ? "duration" : outPoint != nil ? "out" : "in"
    guard end <= max(index.duration, whole?.end ?? .zero), start < end else {
      findings.append(
        .beyond(index.duration, of: self.path, wanted: max(start, end), at: "\(path).\(key)"))
      return nil
    }
    return try TimeRange(start: start, end: end)
  }
}

extension SequenceClip {
  /// The playing time of a range of the file; `nil` if a finding states why it cannot play.
  fileprivate func length(
    of source: TimeRange, in index: MediaIndex, at path: FindingPath, findings: inout [Finding]
  ) throws(TimeError) -> RationalTime? {
    guard speed != .normal else { return source.duration }
    // Problems with the speeds themselves have their own findings.
    guard speed.findings(at: path).isEmpty else { return nil }
    guard !index.isStillImage else {
      findings.append(
        Finding(
          path: "\(path).speed", problem: "\"\(self.path)\" is a still image, which has no speed",
          remedy: "remove it, and set how long the image is shown with \"duration\""))
      return nil
    }
    let rest = try speed.remainder(of: source.duration)
    if let last = speed.pieceWithRest {
      guard rest > .zero else {
        findings.append(
          Finding(
            path: "\(path).speed[\(last)]",
            problem: "no part of the clip is left for this piece",
            remedy: "shorten the pieces before it"))
        return nil
      }
    } else if rest != .zero {
      let missing = rest > .zero ? rest : try RationalTime.zero - rest
      findings.append(
        Finding(
          path: "\(path).speed",
          problem: "the pieces play \(try source.duration - rest) s of the file, but the clip"
            + " plays \(source.duration) s of it",
          remedy: (rest > .zero ? "add" : "remove") + " \(missing) s, or omit \"duration\" in the "
            + "last piece so that it plays the rest"))
      return nil
    }
    return try speed.mappings(of: source, from: .zero).last?.target.end
  }
}

extension Finding {
  /// The finding for a range that starts or ends beyond the end of an asset.
  static func beyond(
    _ duration: RationalTime, of asset: String, wanted: RationalTime, at path: FindingPath
  ) -> Finding {
    Finding(
      path: path,
      problem: "\(wanted.shortDecimal(roundedUp: true)) s is beyond the end of \"\(asset)\", "
        + "which is \(duration.shortDecimal()) s long",
      remedy: "use a time within the file")
  }
}
