import ProjectFormat
import Timeline

/// The properties of a moving stream that an output continues.
struct FootageFormat: Hashable {
  let codec: String
  /// The size of the stored pictures, in pixels.
  let size: PixelSize
  /// The pixel format without its range.
  let layout: String
  let color: ColorSpace
  /// The profile of ProRes.
  let profile: String?
  /// The constant frame rate; `nil` if it varies or no output can have it.
  let rate: RationalTime?
  /// The field that is shown first; `nil` if the frames are not interlaced.
  let firstField: VideoSettings.Field?
  let pixelAspectRatio: RationalTime
  let cleanAperture: PixelRect?
  let orientation: Orientation
  /// Whether the stored pictures are shown as they are: upright, whole and with square pixels.
  let isPlain: Bool

  init(_ stream: VideoStream) {
    codec = stream.codec
    size = stream.size
    layout = stream.layout
    color = ColorSpace(stream.color, size: stream.size)
    profile = stream.copying?.profile
    if case .steady(let rate)? = FrameRhythm(of: stream), RenderLimits.frameRates.contains(rate) {
      self.rate = rate
    } else {
      rate = nil
    }
    firstField = stream.firstField
    pixelAspectRatio = stream.pixelAspectRatio
    cleanAperture = stream.cleanAperture
    orientation = stream.orientation
    isPlain = stream.isPlain
  }

  /// The reason why no output continues the format, whatever the project is; `nil` if one may.
  func obstacle(in fileType: FileType) -> FormatObstacle? {
    guard let codec = VideoSettings.Codec(rawValue: codec) else { return .codec }
    guard fileType.videoCodecs.contains(codec), !fileType.isMatroska || orientation == .identity
    else { return .fileType }
    if rate == nil { return .variableRate }
    if firstField != nil, !canContinueFields(in: codec) { return .interlaced }
    if cleanAperture != nil { return .aperture }
    return layout.hasPrefix("yuva") || layout.hasPrefix("gbrap") ? .alpha : nil
  }

  /// Whether encoded parts can be interlaced in the same way, without mixing the fields' chroma: pictures are composited
  /// in 4:2:0, and each field must then have whole rows of chroma.
  private func canContinueFields(in codec: VideoSettings.Codec) -> Bool {
    codec.encodesFields && layout.hasPrefix("yuv420p") && size.height.isMultiple(of: 4)
  }
}

extension VideoSettings.Codec {
  /// Whether frames can be encoded as interlaced.
  var encodesFields: Bool { [.h264, .prores].contains(self) }
}

extension VideoStream {
  /// The pixel format without its range: full and limited range have different names for the same layout.
  var layout: String { pixelFormat.replacing("yuvj", with: "yuv") }

  /// Whether the stored pictures are shown as they are: upright, whole and with square pixels.
  var isPlain: Bool {
    pixelAspectRatio == RationalTime(1) && cleanAperture == nil && orientation == .identity
  }
}

extension ExportSettings {
  /// Whether the exported time range contains a part of a range of the composition.
  func shows(_ range: TimeRange) -> Bool {
    guard let timeRange else { return true }
    return range.start < timeRange.end && timeRange.start < range.end
  }
}

/// The moving streams of a project, by their format.
struct Footage {
  /// The streams of one format.
  struct Group {
    let format: FootageFormat
    /// The first stream of the format on the timeline.
    let asset: String
    let trackIndex: Int
    /// The time that the streams fill on the timeline, in seconds.
    var time: RationalTime
    /// Whether one of them is a recording that the project follows.
    fileprivate(set) var isFollowed: Bool
    fileprivate let start: RationalTime
  }

  /// The groups. The one that fills the most time comes first; of those that fill the same time, the one that starts
  /// first. The length of a recording that the project follows may be unknown, so its group comes before others.
  let groups: [Group]
  /// Whether still images are shown, too.
  let hasStills: Bool

  /// Collects the streams that are shown in the exported time range.
  init(of project: Project, indexes: [String: MediaIndex]) throws(TimeError) {
    struct Stream: Hashable {
      let asset: String
      let trackIndex: Int
    }
    var formats: [Stream: FootageFormat] = [:]
    var groups: [FootageFormat: Group] = [:]
    var hasStills = false
    for track in project.composition.tracks where track.mediaType == .video {
      for segment in track.segments where project.export.shows(segment.target) {
        guard let index = indexes[segment.asset], index.video.indices.contains(segment.trackIndex)
        else { continue }
        let range = project.export.timeRange
        let start = max(segment.target.start, range?.start ?? .zero)
        let end = min(segment.target.end, range?.end ?? segment.target.end)
        if index.isStillImage {
          hasStills = true
          continue
        }
        let stream = Stream(asset: segment.asset, trackIndex: segment.trackIndex)
        let shown = index.video[segment.trackIndex]
        let format = formats[stream] ?? FootageFormat(shown)
        formats[stream] = format
        let known = groups[format]
        let isFirst = known.map { start < $0.start } ?? true
        groups[format] = Group(
          format: format, asset: isFirst ? segment.asset : known?.asset ?? segment.asset,
          trackIndex: isFirst ? segment.trackIndex : known?.trackIndex ?? segment.trackIndex,
          time: try (known?.time ?? .zero) + end - start,
          isFollowed: shown.opening != nil || known?.isFollowed == true,
          start: isFirst ? start : known?.start ?? start)
      }
    }
    self.groups = groups.values.sorted { first, second in
      if first.isFollowed != second.isFollowed { return first.isFollowed }
      let (time, other) = first.isFollowed ? (.zero, .zero) : (first.time, second.time)
      return (other, first.start, first.asset, first.trackIndex)
        < (time, second.start, second.asset, second.trackIndex)
    }
    self.hasStills = hasStills
  }
}
