import ProjectFormat
import Timeline

/// The stream that decides the codec and format of a file with copied packets: the first moving stream, or the one that
/// the preset `automatic` chooses.
struct PassthroughSource {
  /// The asset's name.
  let name: String
  /// The stream as the file describes it.
  let stream: VideoStream
  /// The stream's codec.
  let codec: VideoSettings.Codec
  private let color: ColorSpace
  /// The chroma location of the first stream that states one.
  private let chroma: ChromaPosition?
  /// Whether streams with other formats are encoded. Otherwise, there are none.
  private let isMixed: Bool

  /// A moving stream with its asset's name.
  typealias Shown = (name: String, stream: VideoStream)

  /// Finds the source of a project.
  ///
  /// - Parameter indexes: the media indexes by asset name, as the files describe them.
  /// - Throws: ``ProjectError`` with everything that prevents copying the project's video into one file.
  init(of project: Project, indexes: [String: MediaIndex]) throws(ProjectError) {
    try self.init(
      showing: Self.shown(in: project, indexes: indexes), fileType: project.export.fileType,
      outputSize: project.videoComposition?.outputSize)
  }

  /// Finds the source of a project that copies packets; `nil` if it encodes every frame.
  ///
  /// - Throws: ``ProjectError`` with everything that prevents copying the project's video into one file.
  init?(chosenFor project: Project, indexes: [String: MediaIndex]) throws(ProjectError) {
    let format = project.export.continued
    guard let format, !format.isStored else {
      guard format != nil || project.export.isPassthrough else { return nil }
      try self.init(of: project, indexes: indexes)
      return
    }
    self.init(
      continuing: format, of: indexes,
      beside: Self.shown(in: project, indexes: indexes).map(\.stream))
  }

  /// The source of a format that the preset `automatic` continues; `nil` if there is no such stream.
  private init?(
    continuing format: ContinuedFormat, of indexes: [String: MediaIndex],
    beside others: [VideoStream]
  ) {
    guard let streams = indexes[format.asset]?.video, streams.indices.contains(format.trackIndex),
      let codec = VideoSettings.Codec(rawValue: streams[format.trackIndex].codec)
    else { return nil }
    (name, stream, self.codec) = (format.asset, streams[format.trackIndex], codec)
    color = ColorSpace(stream.color, size: stream.size)
    isMixed = true
    let model = FootageFormat(stream)
    chroma =
      stream.copying?.statedChromaPosition
      ?? others.lazy.filter { $0.copying?.statedChromaPosition != nil }
      .first { FootageFormat($0) == model }?.copying?.statedChromaPosition
  }

  /// The reasons why a document's video cannot be copied into one file, based on the files that were read.
  ///
  /// - Parameters:
  ///   - project: the document in its composition form; `nil` if it could not be expanded.
  ///   - outputSize: the output size that the document sets; `nil` if it sets none.
  static func findings(
    of document: ProjectDocument, as project: Project?, outputSize: PixelSize?,
    indexes: [String: MediaIndex]
  ) -> [Finding] {
    let shown =
      if let project {
        Self.shown(in: project, indexes: indexes)
      } else {
        Self.shown(in: document, indexes: indexes)
      }
    guard !shown.isEmpty || document.media.keys.allSatisfy({ indexes[$0] != nil }) else {
      return []
    }
    do throws(ProjectError) {
      _ = try PassthroughSource(
        showing: shown, fileType: document.export.fileType, outputSize: outputSize)
      return []
    } catch {
      return error.findings
    }
  }

  private init(
    showing shown: [Shown], fileType: FileType, outputSize: PixelSize?
  ) throws(ProjectError) {
    guard let first = shown.first else {
      throw ProjectError(
        path: "export.preset", problem: "the project has no video that \"passthrough\" can copy",
        remedy: "choose another preset")
    }
    guard let codec = VideoSettings.Codec(rawValue: first.stream.codec) else {
      throw ProjectError(
        path: "export.preset",
        problem:
          "\"passthrough\" cannot copy \"\(first.name)\", whose codec is \(first.stream.codec)",
        remedy: "choose another preset; h264, hevc, av1, vp9 and prores can be copied")
    }
    (name, stream, self.codec) = (first.name, first.stream, codec)
    color = ColorSpace(first.stream.color, size: first.stream.size)
    isMixed = false
    chroma = shown.lazy.compactMap { $0.stream.copying?.statedChromaPosition }.first
    // The first stream may not state its chroma location, but all streams that state one must agree.
    let stating = shown.first {
      $0.stream.copying?.statedChromaPosition != nil && Self.misfit($0, with: first) == nil
    }
    let models = [first] + (stating.map { [$0] } ?? [])
    var findings = shown.dropFirst().compactMap { other in
      models.lazy.compactMap { Self.misfit(other, with: $0) }.first
    }
    findings += containerFindings(fileType)
    if let outputSize, outputSize != first.stream.size {
      findings.append(
        Finding(
          path: "videoComposition.renderSize",
          problem: "the output size is \(outputSize), but \"passthrough\" copies"
            + " \"\(first.name)\" at its stored size, \(first.stream.size)",
          remedy: "set the size to \(first.stream.size) at scale 1, or choose another preset"))
    }
    guard findings.isEmpty else { throw ProjectError(findings: findings) }
  }

  /// Whether an encoder supports the source's format.
  var hasEncoder: Bool {
    let video = ExportPreset.passthrough.videoSettings()
    return (try? encoding(video, besideSets: [], peak: nil)) != nil
  }

  /// The moving streams that the project shows in the exported time range, each once, ordered by their first appearance.
  private static func shown(in project: Project, indexes: [String: MediaIndex]) -> [Shown] {
    var seen: Set<String> = []
    var shown: [(start: RationalTime, name: String, stream: VideoStream)] = []
    for track in project.composition.tracks where track.mediaType == .video {
      for segment in track.segments where project.export.shows(segment.target) {
        guard let index = indexes[segment.asset], !index.isStillImage,
          index.video.indices.contains(segment.trackIndex),
          seen.insert("\(segment.trackIndex) \(segment.asset)").inserted
        else { continue }
        shown.append((segment.target.start, segment.asset, index.video[segment.trackIndex]))
      }
    }
    let order = shown.indices.sorted { (shown[$0].start, $0) < (shown[$1].start, $1) }
    return order.map { (shown[$0].name, shown[$0].stream) }
  }

  /// The moving streams of a sequence's clips, each once.
  private static func shown(in document: ProjectDocument, indexes: [String: MediaIndex]) -> [Shown]
  {
    guard case .sequence(let sequence) = document else { return [] }
    var seen: Set<String> = []
    return sequence.items.compactMap { item in
      guard case .clip(let clip) = item, let index = indexes[clip.path], !index.isStillImage,
        let stream = index.video.first, seen.insert(clip.path).inserted
      else { return nil }
      return (clip.path, stream)
    }
  }

  /// The finding for a stream that cannot share a file with an earlier one; `nil` if it can.
  private static func misfit(_ other: Shown, with earlier: Shown) -> Finding? {
    var (theirs, ours) = (description(of: other.stream), description(of: earlier.stream))
    let isOneLayout = theirs == ours
    let differences = PictureMeaning(other.stream).differences(
      from: PictureMeaning(earlier.stream))
    guard !isOneLayout || !differences.isEmpty else { return nil }
    for difference in differences {
      theirs += ", \(difference.own)"
      ours += ", \(difference.other)"
    }
    return Finding(
      path: "export.preset",
      problem: "\"passthrough\" cannot join \"\(other.name)\" (\(theirs)) and"
        + " \"\(earlier.name)\" (\(ours)) in one file",
      remedy: remedy(isOneLayout: isOneLayout, differences))
  }

  private static func remedy(
    isOneLayout: Bool, _ differences: [PictureMeaning.Difference]
  ) -> String {
    guard isOneLayout else { return "use clips with the same format, or choose another preset" }
    let isUnstated = differences.contains { $0.isUnstated }
    let statement =
      isUnstated ? "tag the colors in each file (ffmpeg -bsf:v h264_metadata), " : ""
    return statement + "export separate files, or choose another preset, which converts them"
  }

  /// A description of the properties that all streams must share.
  private static func description(of stream: VideoStream) -> String {
    var text = "\(stream.codec), \(stream.size), \(stream.layout)"
    if stream.pixelAspectRatio != RationalTime(1) {
      text += ", pixel aspect ratio \(stream.pixelAspectRatio)"
    }
    if let aperture = stream.cleanAperture {
      text +=
        ", clean aperture \(aperture.width)×\(aperture.height)"
        + " at \(aperture.x), \(aperture.y)"
    }
    if stream.orientation != .identity {
      text +=
        ", rotated by \(stream.orientation.quarterTurns * 90)°"
        + (stream.orientation.isMirrored ? " and mirrored" : "")
    }
    return text
  }

  private func containerFindings(_ fileType: FileType) -> [Finding] {
    guard !fileType.videoCodecs.contains(codec) else {
      guard fileType.isMatroska, stream.orientation != .identity || stream.cleanAperture != nil
      else { return [] }
      return [
        Finding(
          path: "export.fileType",
          problem:
            "\(fileType.rawValue) files cannot store the rotation and clean aperture of \"\(name)\"",
          remedy: "choose mp4, mov or m4v")
      ]
    }
    let fitting = FileType.allCases.filter { $0.videoCodecs.contains(codec) }
    return [
      Finding(
        path: "export.fileType",
        problem: "\(fileType.rawValue) files cannot hold \(codec.rawValue), the codec of"
          + " \"\(name)\"",
        remedy: "choose one of: \(fitting.map(\.rawValue).joined(separator: ", "))")
    ]
  }

  /// The reason why packets of a stream cannot share a file with those of the source; `nil` if they can.
  func difference(of other: VideoStream) -> SegmentMethod.Kind? {
    if other.codec != stream.codec { return .codec }
    if other.size != stream.size { return .size }
    if other.layout != stream.layout || other.copying?.profile != stream.copying?.profile {
      return .format
    }
    if ColorSpace(other.color, size: other.size) != color { return .color }
    guard isMixed else { return nil }
    if !other.isPlain { return .shape }
    if other.firstField != firstField { return .interlaced }
    if let chroma, let others = other.copying?.statedChromaPosition, others != chroma {
      return .format
    }
    return nil
  }

  /// The pixel formats in which the codec's encoder can continue the stream, with the bits per sample and the sampling
  /// of chroma; `nil` for 4:2:0.
  private var encodableFormats: [String: (depth: Int, chroma: VideoSettings.Chroma?)] {
    switch codec {
    case .h264, .hevc:
      [
        "yuv420p": (8, nil), "yuv420p10le": (10, nil), "yuv422p": (8, .half),
        "yuv422p10le": (10, .half), "yuv444p": (8, .full), "yuv444p10le": (10, .full),
      ]
    case .av1, .vp9: ["yuv420p": (8, nil), "yuv420p10le": (10, nil)]
    case .prores:
      [
        stream.copying?.profile?.hasPrefix("4444") == true ? "yuv444p10le" : "yuv422p10le":
          (10, nil)
      ]
    }
  }

  /// The first field of encoded frames; `nil` if they are progressive, as encoders other than those of H.264 and ProRes
  /// require.
  var firstField: VideoSettings.Field? {
    codec.encodesFields ? stream.firstField : nil
  }

  /// The settings for encoding frames that cannot be copied.
  ///
  /// - Parameters:
  ///   - asked: the project's video settings.
  ///   - idsInUse: the ids of parameter sets that copied streams use.
  ///   - peak: the copied streams' peak bit rate, in bits per second, which limits that of encoded parts; `nil` if
  ///     unknown.
  /// - Throws: ``ProjectError`` if no encoder supports the source's format, or if the project's settings do not fit it.
  func encoding(_ asked: VideoSettings, besideSets idsInUse: Set<Int>, peak: Int?)
    throws(ProjectError) -> CarriedFormat.EncodedFormat
  {
    guard let (depth, sampling) = encodableFormats[stream.layout],
      !color.transfer.isHDR || ([.hevc, .av1].contains(codec) && depth == 10),
      codec != .prores || stream.copying?.profile != nil
    else {
      throw ProjectError(
        path: "export.preset",
        problem: "parts of \"\(name)\" cannot be copied, and their format cannot be encoded"
          + " (\(codec.rawValue), \(stream.pixelFormat)\(color.transfer.isHDR ? ", high dynamic range" : ""))",
        remedy: "cut at keyframes, without transitions and layers, or choose another preset")
    }
    var video = asked
    video.codec = codec
    video.bitDepth = depth == 8 ? nil : depth
    let defaults = SeamEncoding(codec, bitDepth: depth, beside: asked)
    video.crf = asked.crf ?? defaults.crf
    video.encoderPreset = asked.encoderPreset ?? defaults.encoderPreset
    video.profile = codec == .prores ? stream.copying?.profile : nil
    (video.chroma, video.firstField) = (sampling, firstField)
    let findings = video.findings(at: "export.video")
    guard findings.isEmpty else { throw ProjectError(findings: findings) }
    let ratio = stream.pixelAspectRatio
    if ratio != RationalTime(1), max(ratio.numerator, ratio.denominator) < 1 << 16 {
      video.pixelAspectRatio = ratio
    }
    var options = defaults.options
    if codec == .h264, let free = (0..<32).first(where: { !idsInUse.contains($0) }), free > 0 {
      options["sps-id"] = "\(free)"
    }
    if let peak { options.merge(defaults.rateLimit(peak: peak, of: stream.size)) { $1 } }
    if let chroma { options["chroma-sample-position"] = chroma.encoderName }
    video.options = options.isEmpty ? nil : options
    let tags = color.tags(size: stream.size)
    let statedColor = stream.color == tags ? nil : stream.color
    let isUsual = depth == 8 && color == .standard(size: stream.size) && statedColor == nil
    return CarriedFormat.EncodedFormat(
      video: video,
      workingFormat: isUsual
        ? nil
        : WorkingFormat(
          bitDepth: depth, color: tags, statedColor: statedColor,
          hdr: color.transfer.isHDR ? stream.hdr : nil))
  }
}
