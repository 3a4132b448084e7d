import ProjectFormat
import Timeline

/// A request to check whether an encoder accepts a project's settings.
public struct EncoderCheck: Hashable, Codable, Sendable {
  /// The settings, without those that are known to be wrong.
  public let video: VideoSettings
  /// The output's size in pixels; `nil` if it is unknown or a setting is wrong. Each option is then tried separately.
  public let size: PixelSize?
  /// The length of one output frame, in seconds.
  public let frameDuration: RationalTime

  /// Creates the check of an export's settings; `nil` if none is needed.
  ///
  /// - Parameters:
  ///   - size: the output's size in pixels, if it is known.
  ///   - frameDuration: the length of one output frame in seconds, if it is known.
  ///   - findings: the findings about the project so far.
  init?(
    of export: ExportSettings, size: PixelSize?, frameDuration: RationalTime?,
    beside findings: [Finding]
  ) {
    // The settings for frames that cannot be copied are known only once the timeline is laid out.
    guard !export.isAudioOnly, export.encodesEveryFrame else { return nil }
    var video = export.video
    let path: FindingPath = "export.video"
    func isWrong(_ key: String) -> Bool { findings.contains(under: "\(path).\(key)") }
    if isWrong("crf") { video.crf = nil }
    if isWrong("bitRate") { video.bitRate = nil }
    if isWrong("encoderPreset") { video.encoderPreset = nil }
    if isWrong("bitDepth") { video.bitDepth = nil }
    let wrong = Set(findings.map(\.path))
    video.options = video.options?.filter { name, _ in
      !wrong.contains(VideoSettings.path(ofOption: name, at: path))
    }
    guard video.needsEncoderCheck else { return nil }
    self.video = video
    self.size = findings.contains(under: path) ? nil : size
    self.frameDuration = frameDuration ?? RenderLimits.usualFrameDuration
  }

  /// Creates the check of a plan's settings; `nil` if none is needed.
  public init?(of plan: Plan) {
    guard !plan.segments.isEmpty, plan.export.video.needsEncoderCheck else { return nil }
    self.init(video: plan.export.video, size: plan.renderSize, frameDuration: plan.frameDuration)
  }

  /// Creates the check of the settings for frames that cannot be copied; `nil` if none is needed.
  init?(continuing continuation: FormatContinuation) {
    guard continuation.format.video.needsEncoderCheck else { return nil }
    self.init(
      video: continuation.format.video, size: continuation.size,
      frameDuration: continuation.frameDuration)
  }

  private init(video: VideoSettings, size: PixelSize, frameDuration: RationalTime) {
    self.video = video
    self.size = size
    self.frameDuration = frameDuration
  }
}
