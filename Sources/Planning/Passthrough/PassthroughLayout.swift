import ProjectFormat
import Timeline

/// A timeline divided into copied and encoded segments.
struct PassthroughLayout {
  /// A segment of the layout.
  enum Part {
    case copied(CopiedRange)
    case encoded(Range<Int>)

    /// The segment's output frames.
    var frames: Range<Int> {
      switch self {
      case .copied(let range): range.frames
      case .encoded(let frames): frames
      }
    }
  }

  /// The segments in order, contiguous.
  let parts: [Part]
  /// The format that the file declares for all of them.
  let carried: CarriedFormat
  /// The ranges that are not copied, in order, each with the reason.
  private let reasons: [(frames: Range<Int>, method: SegmentMethod)]

  /// The number of frames that would be copied if the footage had only keyframes.
  let unchangedCount: Int

  /// The number of frames that are copied.
  var copiedCount: Int {
    parts.reduce(0) { count, part in
      if case .copied(let range) = part { count + range.frames.count } else { count }
    }
  }

  /// How often the usual segment length may be halved for encoded parts: once, so that the end of a clip, a transition
  /// and the start of the next clip are usually one segment.
  private static let halvings = 1

  /// Lays out slices.
  ///
  /// - Parameters:
  ///   - asked: the project's video settings, for frames that cannot be copied.
  ///   - compatibility: the players that the file must suit.
  /// - Throws: ``ProjectError`` if some frames can neither be copied nor be encoded in the source's format, or if the
  ///   parts do not fit in the sample description that is required.
  init(
    _ slices: [DraftSlice], of whole: [DraftSlice], by finder: CopyFinder,
    encoding asked: VideoSettings, options: PlanOptions,
    compatibility: ExportSettings.Compatibility? = nil
  ) throws(ProjectError) {
    let survey: CopySurvey
    do throws(TimeError) {
      survey = try finder.survey(
        of: slices, amongFrames: whole.reduce(0) { $0 + $1.frames.count })
    } catch {
      throw ProjectError(timesAt: "composition")
    }
    let copied = survey.copied
    reasons = survey.encoded
    unchangedCount = survey.unchangedCount
    let gaps = Self.gaps(between: copied.map(\.frames), in: slices)
    let target = options.targetFrames(
      frameCount: gaps.reduce(0) { $0 + $1.count }, frameDuration: finder.grid.frameDuration,
      halvings: Self.halvings)
    var parts = copied.map(Part.copied)
    for gap in gaps {
      let cutter = SegmentCutter(
        slices: slices.compactMap { $0.clamped(to: gap) }, targetFrames: target,
        frameDuration: finder.grid.frameDuration, mayEndShort: options.followsRecording)
      parts += cutter.ranges().map(Part.encoded)
    }
    self.parts = parts.sorted { $0.frames.lowerBound < $1.frames.lowerBound }
    var sets: [[UInt8]] = []
    for set in copied.flatMap(\.parameterSets) where !set.isEmpty && !sets.contains(set) {
      sets.append(set)
    }
    let source = finder.format
    let other = copied.first { $0.firstField != nil && $0.firstField != source.firstField }
    if !gaps.isEmpty, let other {
      let form = source.firstField.map { "interlaced with the \($0.rawValue) field first" }
      throw ProjectError(
        path: "export.preset",
        problem: "\"\(other.asset)\" is interlaced, but the parts that \"passthrough\" cannot copy"
          + " would be encoded as \(form ?? "progressive")",
        remedy: "cut at keyframes, without transitions and layers, or choose another preset")
    }
    if compatibility == .strict {
      try Self.checkOneDescription(of: copied, codec: source.codec, isEncoding: !gaps.isEmpty)
    }
    let shared = whole.flatMap(\.layers).map(\.stream).filter { source.difference(of: $0) == nil }
    let ids = Set(
      shared.flatMap { $0.opening?.parameterSetIDs ?? $0.copying?.parameterSetIDs ?? [] })
    let peak = shared.compactMap { stream in
      stream.opening.map(\.peakBitRate) ?? stream.copying?.peakBitRate
    }.max()
    let encoded = gaps.isEmpty ? nil : try source.encoding(asked, besideSets: ids, peak: peak)
    carried = CarriedFormat(
      delay: max(
        copied.map(\.delay).max() ?? 0,
        encoded.map { Self.delay(of: $0.video) } ?? 0),
      pixelFormat: source.stream.pixelFormat, parameterSets: sets, encoded: encoded,
      pixelAspectRatio: source.stream.pixelAspectRatio,
      cleanAperture: source.stream.cleanAperture, orientation: source.stream.orientation)
  }

  /// The maximum delay between decoding and presenting a packet of an encoded chunk, in frames.
  private static func delay(of video: VideoSettings) -> Int {
    switch video.codec {
    case .h264: video.options?["bframes"] == "0" ? 0 : 2
    case .hevc: 2
    case .av1, .vp9, .prores: 0
    }
  }

  /// How the frames of a part are made. If there are several reasons for encoding them, its kind is that of most frames.
  func method(of part: Part) -> SegmentMethod {
    guard case .encoded(let frames) = part else { return .copied }
    var counts: [SegmentMethod: Int] = [:]
    for reason in reasons where reason.frames.overlaps(frames) {
      counts[reason.method, default: 0] += reason.frames.clamped(to: frames).count
    }
    let most = counts.max { first, second in
      (first.value, second.key.rawValue) < (second.value, first.key.rawValue)
    }
    guard var method = most?.key else { return SegmentMethod(.short) }
    for (other, count) in counts where other.kind != method.kind {
      method.others[other.kind, default: 0] += count
    }
    return method
  }

  private static func gaps(between ranges: [Range<Int>], in slices: [DraftSlice]) -> [Range<Int>] {
    guard let first = slices.first?.frames.lowerBound, let end = slices.last?.frames.upperBound
    else { return [] }
    var (gaps, next) = ([Range<Int>](), first)
    for range in ranges {
      if range.lowerBound > next { gaps.append(next..<range.lowerBound) }
      next = range.upperBound
    }
    if next < end { gaps.append(next..<end) }
    return gaps
  }
}
