import FarmAPI
import Planning
import ProjectFormat
import Timeline

/// Outlines the timeline of a planned project for people.
struct TimelineOutline {
  /// The longest name of an item in bytes.
  private static let nameBytes = 80

  private let project: Project
  private let document: ProjectDocument
  /// The range of the composition that the output shows.
  private let range: TimeRange
  private let frameCount: Int
  private let frameDuration: RationalTime
  /// The number of items and transitions that may still be added.
  private var room = JobTimeline.itemLimit
  private var isShortened = false

  /// - Throws: `TimeError` if a time is out of range.
  init(of project: Project, in document: ProjectDocument, plan: Plan) throws {
    self.project = project
    self.document = document
    frameCount = plan.frameCount
    frameDuration = plan.frameDuration
    if let first = plan.segments.first?.first {
      range = try TimeRange(
        start: plan.frameDuration * Int64(first),
        duration: plan.frameDuration * Int64(plan.frameCount))
    } else {
      range =
        try project.export.timeRange
        ?? TimeRange(start: .zero, duration: project.composition.duration)
    }
  }

  mutating func timeline() -> JobTimeline {
    let pictures = frameCount > 0 ? tracks(of: .video) : []
    var transitions = pictures.isEmpty ? [] : transitions(between: pictures)
    transitions = Array(transitions.prefix(take(transitions.count)))
    let layers = frameCount > 0 ? layers() : []
    let sounds = tracks(of: .audio)
    var timeline = JobTimeline(
      frameCount: frameCount, frameDuration: frameDuration.seconds,
      duration: range.duration.seconds, tracks: pictures + layers + sounds,
      transitions: transitions)
    timeline.isShortened = isShortened ? true : nil
    return timeline
  }

  /// Takes room for items, and returns how many of them have room.
  private mutating func take(_ count: Int) -> Int {
    let taken = min(count, room)
    if taken < count { isShortened = true }
    room -= taken
    return taken
  }

  /// The part of a range that the output shows, in seconds of the output.
  private func shown(_ other: TimeRange) -> (start: Double, end: Double)? {
    let start = max(other.start, range.start)
    let end = min(other.end, range.end)
    guard start < end, let first = try? start - range.start, let last = try? end - range.start
    else { return nil }
    return (first.seconds, last.seconds)
  }

  private mutating func tracks(of type: MediaType) -> [JobTimeline.Track] {
    var tracks: [JobTimeline.Track] = []
    for track in project.composition.tracks where track.mediaType == type {
      var items: [JobTimeline.Item] = []
      var last: TrackSegment?
      for segment in track.segments {
        defer { last = segment }
        guard let (start, end) = shown(segment.target) else { continue }
        // The pieces of a clip with several speeds are one item.
        if let last, last.asset == segment.asset, last.target.end == segment.target.start,
          last.source.end == segment.source.start, !items.isEmpty
        {
          items[items.count - 1].end = end
        } else {
          items.append(
            JobTimeline.Item(
              name: Self.name(of: segment.asset), asset: Self.asset(segment.asset), start: start,
              end: end))
        }
      }
      guard !items.isEmpty else { continue }
      items = Array(items.prefix(take(items.count)))
      tracks.append(JobTimeline.Track(kind: type == .video ? .video : .audio, items: items))
    }
    return tracks
  }

  /// The layers, in as few rows as needed so that those in one row do not overlap.
  private mutating func layers() -> [JobTimeline.Track] {
    var items: [JobTimeline.Item] = []
    for layer in project.videoComposition?.animation?.layers ?? [] {
      guard layer.content.kind != .video, let (start, end) = shown(layer.timeRange ?? range) else {
        continue
      }
      items.append(
        JobTimeline.Item(
          name: Self.name(of: layer.content), asset: Self.asset(of: layer.content), start: start,
          end: end))
    }
    items = Array(items.prefix(take(items.count))).sorted { $0.start < $1.start }
    var rows: [JobTimeline.Track] = []
    for item in items {
      let row = rows.firstIndex { ($0.items.last?.end ?? 0) <= item.start }
      if let row {
        rows[row].items.append(item)
      } else {
        rows.append(JobTimeline.Track(kind: .layer, items: [item]))
      }
    }
    return rows
  }

  private func transitions(between tracks: [JobTimeline.Track]) -> [JobTimeline.Transition] {
    switch document {
    case .sequence(let sequence): transitions(of: sequence)
    case .composition: transitionsOfInstructions()
    }
  }

  /// The transitions of a sequence, whose clips overlap in them.
  private func transitions(of sequence: ClipSequence) -> [JobTimeline.Transition] {
    var clips: [TimeRange] = []
    for track in project.composition.tracks where track.mediaType == .video {
      var last: TrackSegment?
      for segment in track.segments {
        defer { last = segment }
        if let last, last.asset == segment.asset, last.target.end == segment.target.start,
          last.source.end == segment.source.start, let start = clips.last?.start,
          let whole = try? TimeRange(start: start, end: segment.target.end)
        {
          clips[clips.count - 1] = whole
        } else {
          clips.append(segment.target)
        }
      }
    }
    clips.sort { $0.start < $1.start }
    let overlaps = zip(clips, clips.dropFirst()).compactMap { first, second in
      second.start < first.end ? try? TimeRange(start: second.start, end: first.end) : nil
    }
    let kinds = sequence.items.compactMap { item in
      if case .transition(let transition) = item { transition.kind.rawValue } else { nil }
    }
    let areKnown = kinds.count == overlaps.count
    return overlaps.enumerated().compactMap { index, overlap in
      shown(overlap).map {
        JobTimeline.Transition(
          kind: areKnown ? kinds[index] : "blend", start: $0.start, end: $0.end)
      }
    }
  }

  /// The instructions in which one of several layers changes.
  private func transitionsOfInstructions() -> [JobTimeline.Transition] {
    (project.videoComposition?.instructions ?? []).compactMap { instruction in
      guard instruction.layers.count > 1,
        let kind = instruction.layers.lazy.compactMap(\.changeKind).first,
        let (start, end) = shown(instruction.timeRange)
      else { return nil }
      return JobTimeline.Transition(kind: kind, start: start, end: end)
    }
  }

  private static func name(of asset: String) -> String {
    let path = AssetURL.withoutQueries(asset)
    return String(path.split(separator: "/").last ?? "").shortened(toBytes: nameBytes)
  }

  private static func asset(_ name: String) -> String {
    AssetURL.withoutQueries(name).shortened(toBytes: 1 << 10)
  }

  private static func asset(of content: LayerContent) -> String? {
    if case .image(let asset) = content { Self.asset(asset) } else { nil }
  }

  private static func name(of content: LayerContent) -> String {
    switch content {
    case .image(let asset): name(of: asset)
    case .text(let text):
      PrintableText(text.text.split(whereSeparator: \.isNewline).joined(separator: " "))
        .description.shortened(toBytes: nameBytes)
    case .group(let layers): text(in: layers).map { name(of: .text($0)) } ?? content.kind.rawValue
    default: content.kind.rawValue
    }
  }

  /// The first text of a group, such as the name in a title.
  private static func text(in layers: [AnimationLayer]) -> TextContent? {
    layers.lazy.compactMap { layer in
      switch layer.content {
      case .text(let text): text
      case .group(let layers): text(in: layers)
      default: nil
      }
    }.first
  }
}

extension LayerInstruction {
  /// The kind of the first change of the layer; `nil` if it does not change.
  fileprivate var changeKind: String? {
    if let mask {
      switch mask.shape {
      case .circle: return "iris"
      case .clock: return "clockWipe"
      case .edge: return "wipe"
      case .map: return "lumaWipe"
      }
    }
    if opacity.hasRamp { return "dissolve" }
    if transform.hasRamp { return "push" }
    return crop.hasRamp ? "wipe" : nil
  }
}

extension Ramps {
  fileprivate var hasRamp: Bool {
    pieces.contains { if case .ramp = $0 { true } else { false } }
  }
}
