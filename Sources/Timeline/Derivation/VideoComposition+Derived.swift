extension VideoComposition {
  /// The video composition of a project that has none: each picture fitted and centred, overlaps dissolved.
  ///
  /// Wherever a track segment begins or ends, a new instruction begins, unless the next one plays on from it. One segment on show makes a pass-through; two,
  /// of which one ends where the other has begun, a dissolve; any others lie over each other, the first track topmost.
  ///
  /// - Parameter indexes: the media indexes by asset name.
  /// - Throws: ``ProjectError`` with everything that ``Project/findings(indexes:)`` finds.
  public static func derived(from project: Project, indexes: [String: MediaIndex])
    throws(ProjectError) -> VideoComposition
  {
    let findings = project.findings(indexes: indexes)
    guard findings.isEmpty else { throw ProjectError(findings: findings) }
    guard let shown = shown(by: project, indexes: project.export.indexes(indexes)) else {
      throw ProjectError(timesAt: "composition")
    }
    let format = OutputFormat(
      streams: shown.map(\.media), naturalSize: project.composition.naturalSize,
      preset: project.export.effectivePreset)
    do throws(TimeError) {
      return VideoComposition(
        renderSize: format.renderSize, frameDuration: format.frameDuration,
        instructions: try instructions(
          showing: shown, until: project.composition.duration, renderSize: format.renderSize))
    } catch {
      throw ProjectError(timesAt: "composition")
    }
  }

  /// Track segments that pictures come from, and play on from one to the next.
  struct ShownSegment {
    fileprivate let order: Int
    fileprivate let track: Int
    fileprivate let target: TimeRange
    let media: OutputFormat.Shown
  }

  /// The pictures that the video tracks show, in order of their starts; `nil` if some of them are unknown.
  static func shown(by project: Project, indexes: [String: MediaIndex]) -> [ShownSegment]? {
    var shown: [ShownSegment] = []
    for (order, track) in project.composition.tracks.enumerated() where track.mediaType == .video {
      for run in track.runs {
        guard let first = run.first, let last = run.last, let index = indexes[first.asset],
          index.video.indices.contains(first.trackIndex),
          let target = try? TimeRange(start: first.target.start, end: last.target.end)
        else { return nil }
        let stream = index.video[first.trackIndex]
        shown.append(
          ShownSegment(
            order: order, track: track.id, target: target,
            media: OutputFormat.Shown(
              stream: stream, isStillImage: index.isStillImage,
              picture: UprightPicture(stream, preferredTransform: track.preferredTransform))))
      }
    }
    return shown.sorted { ($0.target.start, $0.order) < ($1.target.start, $1.order) }
  }

  /// The instructions for segments in the order of their starts.
  private static func instructions(
    showing segments: [ShownSegment], until end: RationalTime, renderSize: PixelSize
  ) throws(TimeError) -> [Instruction] {
    var edges = Set(segments.flatMap { [$0.target.start, $0.target.end] })
    edges.formUnion([.zero, end])
    let times = edges.sorted()
    var instructions: [Instruction] = []
    var (active, next): ([ShownSegment], Int) = ([], 0)
    for (start, end) in zip(times, times.dropFirst()) {
      active.removeAll { $0.target.end <= start }
      while next < segments.count, segments[next].target.start <= start {
        active.append(segments[next])
        next += 1
      }
      let range = try TimeRange(start: start, end: end)
      instructions.append(
        Instruction(
          timeRange: range, layers: try layers(of: active, during: range, renderSize: renderSize)))
    }
    return instructions
  }

  private static func layers(
    of active: [ShownSegment], during range: TimeRange, renderSize: PixelSize
  ) throws(TimeError) -> [LayerInstruction] {
    func placement(_ segment: ShownSegment) -> Placement {
      Placement(of: segment.media.picture, onTrack: segment.track, in: renderSize)
    }
    if active.count == 2, let outgoing = active.first(where: { $0.target.end == range.end }),
      let incoming = active.first(where: { $0.target.start == range.start }),
      outgoing.target.start < incoming.target.start, outgoing.target.end < incoming.target.end
    {
      return try SequenceTransition(kind: .dissolve, duration: range.duration).layers(
        from: placement(outgoing), to: placement(incoming), during: range, renderSize: renderSize)
    }
    return active.sorted { $0.order < $1.order }.map { placement($0).layer(during: range) }
  }
}

extension ProjectError {
  /// The failure of arithmetic on times whose fractions have nothing in common.
  package init(timesAt path: String) {
    self.init(
      path: path, problem: "sums of its times do not fit in 64-bit fractions",
      remedy: "give times with smaller denominators")
  }
}
