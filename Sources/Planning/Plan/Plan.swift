import Crypto
import Timeline

/// The frozen list of a job's segments, with the description of its audio.
public struct Plan: Hashable, Codable, Sendable {
  /// The length of one output frame, in seconds; of one sample for an audio-only file.
  public var frameDuration: RationalTime
  /// The output's size in pixels.
  public var renderSize: PixelSize
  /// The total number of output frames; 0 for an audio-only file.
  public var frameCount: Int
  /// The segments in order, each beginning where the one before ended. Frames are numbered from the composition's
  /// start: if only a part of it is exported, the first segment begins at the part's first frame.
  public var segments: [SegmentDescription]
  /// The description of the mix; `nil` for a project without sound.
  public var mix: MixDescription?
  /// The export settings of the file.
  public var export: ExportSettings
  /// The format that copied and encoded segments share; `nil` if nothing is copied.
  public var carried: CarriedFormat?
  /// The reason for its frame rate; `nil` for an audio-only file.
  public var frameRate: FrameRateReport?
  /// How each segment is made; `nil` if an earlier version made the plan.
  public var methods: [SegmentMethod]?
  /// Whether it ends early, because the rest of the timeline is not recorded yet; `nil` means no.
  public var isPartial: Bool?
  /// The sound of the job's stream; `nil` if the project follows no recording.
  public var interimSound: InterimSound?
  /// The description of that sound, if it is ``InterimSound/mixed``.
  public var interimMix: MixDescription?

  /// Creates a plan.
  public init(
    frameDuration: RationalTime, renderSize: PixelSize, frameCount: Int,
    segments: [SegmentDescription], mix: MixDescription?, export: ExportSettings,
    carried: CarriedFormat? = nil, frameRate: FrameRateReport? = nil,
    methods: [SegmentMethod]? = nil, isPartial: Bool? = nil, interimSound: InterimSound? = nil,
    interimMix: MixDescription? = nil
  ) {
    self.frameDuration = frameDuration
    self.renderSize = renderSize
    self.frameCount = frameCount
    self.segments = segments
    self.mix = mix
    self.export = export
    self.carried = carried
    self.frameRate = frameRate
    self.methods = methods
    self.isPartial = isPartial
    self.interimSound = interimSound
    self.interimMix = interimMix
  }
}
