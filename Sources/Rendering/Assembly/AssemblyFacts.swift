import Crypto
import Planning
import Timeline

/// The facts about a plan, and the paths of files, that the assembler needs.
public struct AssemblyFacts: Hashable, Sendable {
  /// The total number of output frames; 0 for an audio-only file.
  public var frameCount: Int
  /// The length of one output frame, in seconds.
  public var frameDuration: RationalTime
  /// The output's size in pixels.
  public var renderSize: PixelSize
  /// The codec of the pictures.
  public var codec: VideoSettings.Codec
  /// The container.
  public var fileType: FileType
  /// Whether the index is at the front of the file.
  public var optimizeForNetworkUse: Bool
  /// The file's metadata.
  public var metadata: ExportMetadata?
  /// The file's chapters in the order of time.
  public var chapters: [Chapter]?
  /// The maximum size of the file in bytes; `nil` for no limit.
  public var fileLengthLimit: Int?
  /// The clean aperture that the project sets; `nil` for the whole picture.
  public var askedAperture: VideoSettings.CleanAperture?
  /// The format that copied and encoded chunks share; `nil` if none is copied.
  public var carried: CarriedFormat?
  /// The players that the file must suit; `nil` means current ones.
  public var compatibility: ExportSettings.Compatibility?
  /// The finished mix; `nil` for a file without sound.
  public var audioPath: String?
  /// The mix's block digests, which its bytes are checked against as they are read.
  public var audioBlocks: BlockDigests?
  /// The beginning of a mix that is not finished yet, instead of ``audioPath``. The rest is added part by part.
  public var soundParts: SoundParts?
  /// The file to write; its owner renames it once it is finished.
  public var outputPath: String
  /// Whether the file must be on the disk when it is finished.
  public var isDurable: Bool
  /// Whether the job follows a recording.
  public var isFollowing: Bool
  /// Whether the plan ends early, because the rest is not recorded yet.
  public var isPartial: Bool

  /// The parts of a mix that are complete while the rest is being made.
  public struct SoundParts: Hashable, Sendable {
    /// The folder with the parts' files.
    public var folder: String
    /// The first part.
    public var first: SoundPart

    /// Creates the beginning of a mix.
    public init(folder: String, first: SoundPart) {
      self.folder = folder
      self.first = first
    }
  }

  /// Creates facts.
  public init(
    frameCount: Int, frameDuration: RationalTime, renderSize: PixelSize,
    codec: VideoSettings.Codec = .h264, fileType: FileType, optimizeForNetworkUse: Bool,
    metadata: ExportMetadata? = nil, chapters: [Chapter]? = nil, fileLengthLimit: Int? = nil,
    askedAperture: VideoSettings.CleanAperture? = nil, carried: CarriedFormat? = nil,
    compatibility: ExportSettings.Compatibility? = nil, audioPath: String?,
    audioBlocks: BlockDigests? = nil, outputPath: String, isDurable: Bool = true,
    isFollowing: Bool = false, isPartial: Bool = false
  ) {
    self.frameCount = frameCount
    self.frameDuration = frameDuration
    self.renderSize = renderSize
    self.codec = codec
    self.fileType = fileType
    self.optimizeForNetworkUse = optimizeForNetworkUse
    self.metadata = metadata
    self.chapters = chapters
    self.fileLengthLimit = fileLengthLimit
    self.askedAperture = askedAperture
    self.carried = carried
    self.compatibility = compatibility
    self.audioPath = audioPath
    self.audioBlocks = audioBlocks
    self.outputPath = outputPath
    self.isDurable = isDurable
    self.isFollowing = isFollowing
    self.isPartial = isPartial
  }

  /// Creates the facts of a plan.
  public init(
    _ plan: Plan, audioPath: String?, audioBlocks: BlockDigests? = nil, outputPath: String,
    isDurable: Bool = true
  ) {
    self.init(
      frameCount: plan.frameCount, frameDuration: plan.frameDuration, renderSize: plan.renderSize,
      codec: plan.export.video.codec, fileType: plan.export.fileType,
      optimizeForNetworkUse: plan.export.optimizeForNetworkUse, metadata: plan.export.metadata,
      chapters: plan.export.chapters, fileLengthLimit: plan.export.fileLengthLimit,
      askedAperture: plan.export.video.cleanAperture, carried: plan.carried,
      compatibility: plan.export.compatibility, audioPath: audioPath, audioBlocks: audioBlocks,
      outputPath: outputPath, isDurable: isDurable, isFollowing: plan.interimSound != nil,
      isPartial: plan.isPartial == true)
  }
}

extension AssemblyFacts {
  /// The length of the pictures in seconds, if the file can be assembled before its mix is finished. The bytes of a
  /// limited file, and the length of an audio-only one, depend on the whole mix.
  var lengthBeforeMix: RationalTime? {
    get throws {
      frameCount > 0 && fileLengthLimit == nil ? try frameDuration * Int64(frameCount) : nil
    }
  }
}
