import Crypto
import ProjectFormat
import Timeline

/// Turns a project and its media indexes into a plan.
public enum Planner {
  /// Plans a project. The result depends only on the arguments.
  ///
  /// The output has one frame for each frame instant before the composition's end, and sound of the same length.
  ///
  /// - Parameters:
  ///   - project: The project; its video composition is derived if it has none.
  ///   - indexes: The media indexes by asset name.
  ///   - digests: The assets' SHA-256 by asset name.
  ///   - rasters: The pictures of the animation's layers, drawn for ``rasterRequests(for:indexes:)``.
  ///   - recordings: The recordings that the project follows, by asset name. If one of them is not complete, the plan
  ///     has no sound, and contains only segments that will not change, unless a transition follows the recording. It may
  ///     have none.
  ///   - options: How the timeline is cut into segments.
  /// - Throws: ``ProjectError`` with everything that keeps the project from being rendered.
  public static func plan(
    _ project: Project, indexes: [String: MediaIndex], digests: [String: Digest],
    rasters: [LayerRaster] = [], recordings: [String: ExcerptedRecording] = [:],
    options: PlanOptions = PlanOptions()
  ) throws(ProjectError) -> Plan {
    let recorded = recordings.mapValues { $0.described(by: project.export.indexes) }
    let digests = digests.merging(recordings.digests) { first, _ in first }
    var options = options
    options.followsRecording = !recordings.isEmpty
    let chosen = project.choosingFormat(indexes: indexes)
    if !chosen.exportsPictures {
      guard recordings.values.allSatisfy(\.isComplete) else { return .awaitingRecording }
      if chosen.export.isPassthrough {
        _ = try PassthroughSource(of: chosen, indexes: indexes)
      }
      return try planSound(of: chosen, indexes: indexes, digests: digests)
    }
    let (project, videoComposition) = try chosen.completed(indexes: indexes)
    var findings =
      project.findings(indexes: indexes) + digestFindings(project, digests: digests)
      + rasterFindings(project, rasters: rasters)
    guard findings.isEmpty else { throw ProjectError(findings: findings) }
    findings = rangeFindings(
      project.export.timeRange, duration: project.composition.duration,
      frameDuration: videoComposition.frameDuration)
    findings += project.export.apertureFindings(in: videoComposition.outputSize)
    var source: PassthroughSource?
    do throws(ProjectError) {
      source = try PassthroughSource(chosenFor: project, indexes: indexes)
    } catch {
      findings += error.findings
    }
    guard findings.isEmpty else { throw ProjectError(findings: findings) }
    return try plan(
      project, unscaled: videoComposition, indexes: project.export.indexes(indexes),
      digests: digests, rasters: rasters, recordings: recorded, options: options, copying: source)
  }

  /// The finding for a time range without a frame.
  static func rangeFindings(
    _ range: TimeRange?, duration: RationalTime, frameDuration: RationalTime
  ) -> [Finding] {
    guard let range else { return [] }
    let grid = try? OutputGrid(frameDuration: frameDuration, duration: duration)
    if let frames = try? grid?.frames(in: range), !frames.isEmpty { return [] }
    return [
      Finding(
        path: "export.timeRange", problem: "the range contains no output frame",
        remedy: "make it at least one frame (\(frameDuration) s) long")
    ]
  }

  private static func digestFindings(_ project: Project, digests: [String: Digest]) -> [Finding] {
    let used = Set(
      project.composition.tracks.flatMap(\.segments).map(\.asset) + project.maps)
    return used.filter { digests[$0] == nil }.sorted().map { asset in
      Finding(
        path: "assets.\(asset)", problem: "the digest of the asset \"\(asset)\" is missing",
        remedy: "include its file in the submission")
    }
  }

  private static func plan(
    _ project: Project, unscaled: VideoComposition, indexes: [String: MediaIndex],
    digests: [String: Digest], rasters: [LayerRaster], recordings: [String: ExcerptedRecording],
    options: PlanOptions, copying source: PassthroughSource?
  ) throws(ProjectError) -> Plan {
    do {
      let draft = try DraftTimeline(
        project, showing: unscaled, indexes: indexes, rasters: rasters, recordings: recordings)
      let (videoComposition, grid) = (draft.videoComposition, draft.grid)
      let slices = draft.slices
      let layout = try source.map { source throws(ProjectError) in
        try draft.layout(copying: source, project.export, options: options)
      }
      var export = project.export
      var workingFormat: WorkingFormat?
      if let source, let layout {
        export.video = layout.carried.encoded?.video ?? VideoSettings(codec: source.codec)
        workingFormat = layout.carried.encoded?.workingFormat
      } else {
        workingFormat = WorkingFormat.chosen(
          bitDepth: export.video.workingBitDepth, carriesHDR: export.video.carriesHDR,
          size: videoComposition.renderSize,
          streams: draft.whole.flatMap(\.layers).map { ($0.stream, $0.index.isStillImage) })
      }
      var encoding = export.video
      // Only the finished file states the clean aperture, so chunks do not depend on it.
      encoding.cleanAperture = nil
      let writer = SegmentWriter(
        grid: grid, renderSize: videoComposition.renderSize, video: encoding,
        indexes: indexes, digests: digests, workingFormat: workingFormat, animation: draft.animation
      )
      var parts =
        layout?.parts
        ?? SegmentCutter(
          slices: slices,
          targetFrames: options.targetFrames(
            frameCount: draft.shown.count, frameDuration: grid.frameDuration,
            halvings: PlanOptions.halvings,
            frameCost: encoding.frameCost(of: videoComposition.renderSize)),
          frameDuration: grid.frameDuration, mayEndShort: options.followsRecording
        ).ranges().map { .encoded($0) }
      // The next frames may belong to this segment.
      if draft.isPartial, let last = parts.last, case .encoded(let frames) = last,
        frames.count < PlanOptions.minimumFrames
      {
        parts.removeLast()
      }
      let start = draft.shown.lowerBound
      let shown = draft.isPartial ? start..<(parts.last?.frames.upperBound ?? start) : draft.shown
      let frameRate = try FrameRateReport(
        frameDuration: grid.frameDuration, showing: project.composition,
        copies: source != nil, continued: project.export.continued?.asset, indexes: indexes,
        unshown: draft.drafter.unshownFrames(in: shown))
      let interim =
        recordings.isEmpty
        ? nil : try interim(of: project, draft, indexes, digests, following: recordings)
      return Plan(
        frameDuration: grid.frameDuration, renderSize: videoComposition.renderSize,
        frameCount: shown.count,
        segments: try descriptions(of: parts, slices, by: writer).map {
          var segment = $0
          segment.onDamage = project.export.concealsDamage
          if project.export.onDamage != nil { segment.copy?.isVerified = true }
          return segment
        },
        mix: recordings.values.allSatisfy(\.isComplete)
          ? try mix(of: project, frames: shown, grid, indexes, digests) : nil, export: export,
        carried: layout?.carried, frameRate: frameRate,
        methods: parts.map { layout?.method(of: $0) ?? SegmentMethod(encoding: project.export) },
        isPartial: try draft.isPartial || recordings.lack(any: project, indexes: indexes)
          ? true : nil, interimSound: interim?.sound, interimMix: interim?.mix)
    } catch let error as ProjectError {
      throw error
    } catch {
      throw ProjectError(timesAt: "composition")
    }
  }

  private static func descriptions(
    of parts: [PassthroughLayout.Part], _ slices: [DraftSlice], by writer: SegmentWriter
  ) throws -> [SegmentDescription] {
    var segments: [SegmentDescription] = []
    var next = 0
    for part in parts {
      let range = part.frames
      while slices[next].frames.upperBound <= range.lowerBound { next += 1 }
      let met = slices[next...].prefix { $0.frames.lowerBound < range.upperBound }
      switch part {
      case .copied(let copied):
        segments.append(try writer.description(of: copied, showing: met))
      case .encoded:
        segments.append(try writer.description(of: range, showing: met))
      }
    }
    return segments
  }

  /// The sound of the job's stream while the project follows recordings. It covers all exported frames, including those
  /// that are not recorded yet.
  private static func interim(
    of project: Project, _ draft: DraftTimeline, _ indexes: [String: MediaIndex],
    _ digests: [String: Digest], following recordings: [String: ExcerptedRecording]
  ) throws(TimeError) -> (sound: InterimSound, mix: MixDescription?) {
    let end = max(draft.whole.last?.frames.upperBound ?? 0, draft.shown.upperBound)
    let frames = draft.shown.lowerBound..<end
    guard
      let whole = try mixed(
        of: project, frames: frames, draft.grid, indexes, digests, with: project.export.audio)
    else { return (.none, nil) }
    let mix = try whole.interim(showing: recordings, indexes: indexes)
    return (mix == nil ? .pending : .mixed, mix)
  }

  /// The sound that goes with a range of frames, with everything mixed.
  private static func mixed(
    of project: Project, frames: Range<Int>, _ grid: OutputGrid, _ indexes: [String: MediaIndex],
    _ digests: [String: Digest], with settings: AudioSettings
  ) throws(TimeError) -> MixDescription? {
    let start = try grid.time(of: frames.lowerBound)
    let grid = OutputGrid(frameDuration: grid.frameDuration, frameCount: frames.upperBound)
    let writer = MixWriter(grid: grid, settings: settings, indexes: indexes, digests: digests)
    let sample = try RationalTime(1, Int64(settings.sampleRate))
    return try writer.description(of: project)?
      .skipping(try start.ticks(of: sample, rounding: .nearest))
  }

  /// The sound that goes with a range of frames.
  private static func mix(
    of project: Project, frames: Range<Int>, _ grid: OutputGrid, _ indexes: [String: MediaIndex],
    _ digests: [String: Digest]
  ) throws(TimeError) -> MixDescription? {
    let start = try grid.time(of: frames.lowerBound)
    func description(with settings: AudioSettings) throws(TimeError) -> MixDescription? {
      try Self.mixed(
        of: project, frames: frames, grid, indexes, digests, with: settings)
    }
    guard var mix = try description(with: project.export.audio) else { return nil }
    if project.export.isSoundPassedThrough {
      if let format = try mix.formatOfSources(in: project.export.fileType),
        let continued = try description(with: format)
      {
        mix = continued
        let ranges = try mix.rangesToCopy()
        if !ranges.isEmpty {
          mix.copiedParts = CopiedSoundParts(
            ranges: ranges, hasEditList: !project.export.fileType.isMatroska,
            isVerified: project.export.onDamage != nil)
        }
      }
      mix.copied = try CopiedSound(
        of: project, from: start, to: grid.time(of: frames.upperBound), sources: mix.sources,
        indexes: indexes)
    }
    mix.onDamage = project.export.concealsDamage
    return mix
  }

  /// The plan of an audio-only file, which has no segments and a grid of samples.
  private static func planSound(
    of project: Project, indexes: [String: MediaIndex], digests: [String: Digest]
  ) throws(ProjectError) -> Plan {
    let findings =
      project.findings(indexes: indexes) + digestFindings(project, digests: digests)
    guard findings.isEmpty else { throw ProjectError(findings: findings) }
    do throws(TimeError) {
      let grid = try OutputGrid(
        frameDuration: RationalTime(1, Int64(project.export.audio.sampleRate)),
        duration: project.composition.duration)
      let heard = try project.export.timeRange.map(grid.frames) ?? 0..<grid.frameCount
      return Plan(
        frameDuration: grid.frameDuration, renderSize: PixelSize(width: 0, height: 0),
        frameCount: 0, segments: [],
        mix: try mix(of: project, frames: heard, grid, indexes, digests), export: project.export)
    } catch {
      throw ProjectError(timesAt: "composition")
    }
  }
}

extension Plan {
  /// The plan of a project of which nothing can be rendered yet, because it follows a recording.
  package static let awaitingRecording = Plan(
    frameDuration: RationalTime(1), renderSize: PixelSize(width: 0, height: 0), frameCount: 0,
    segments: [], mix: nil, export: ExportSettings(.automatic), isPartial: true)
}

extension Project {
  /// The project with the decision of the preset `automatic`.
  fileprivate func choosingFormat(indexes: [String: MediaIndex]) -> Project {
    guard export.isAutomatic, export.choice == nil,
      case .composition(let project) = ProjectDocument.composition(self)
        .choosingFormat(indexes: indexes)
    else { return self }
    return project
  }
}

extension SegmentMethod {
  /// How every frame is made with settings that copy nothing.
  fileprivate init(encoding export: ExportSettings) {
    guard export.isAutomatic, case .encoded(let obstacle)? = export.choice else {
      self.init(.preset)
      return
    }
    self.init(Kind(obstacle))
  }
}

extension ExportSettings {
  /// ``DamagePolicy/conceal`` if the project sets it; the default policy is omitted from the plan.
  fileprivate var concealsDamage: DamagePolicy? { onDamage == .conceal ? .conceal : nil }
}
