import Timeline

extension VideoComposition {
  /// The video composition for a project without one: each picture is fitted and centered, and overlaps are dissolved.
  ///
  /// A new instruction starts wherever a track segment starts or ends, unless the next segment continues it. An
  /// instruction with one segment is a pass-through. An instruction with two segments is a dissolve if one of them ends
  /// with it and the other one starts with it. Other segments are stacked, with the first track topmost.
  ///
  /// - Parameter indexes: The media indexes by asset name.
  /// - Throws: ``ProjectError`` with the findings of ``Project/findings(indexes:)``.
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
      asked: project.export.format(), preset: project.export.effectivePreset)
    do throws(TimeError) {
      return VideoComposition(
        renderSize: format.renderSize, frameDuration: format.frameDuration,
        instructions: try instructions(
          showing: shown, until: project.composition.duration, renderSize: format.renderSize))
    } catch {
      throw ProjectError(timesAt: "composition")
    }
  }

  /// A run of track segments that continue one another.
  struct ShownSegment {
    fileprivate let order: Int
    fileprivate let track: Int
    fileprivate let target: TimeRange
    let media: OutputFormat.Shown
  }

  /// The media that the video tracks show, ordered by start; `nil` if some of it is unknown.
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

  /// The instructions for segments that are ordered by start.
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
    func placement(_ segment: ShownSegment) -> ClipPlacement {
      ClipPlacement(of: segment.media.picture, onTrack: segment.track, in: renderSize)
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
  /// The error for sums of times that overflow.
  package init(timesAt path: FindingPath) {
    self.init(
      path: path, problem: "adding its times overflows a 64-bit fraction",
      remedy: "use times with smaller denominators")
  }
}
