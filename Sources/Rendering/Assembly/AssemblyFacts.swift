import Planning
import Timeline

/// What the assembler needs to know of a plan, and where files are.
public struct AssemblyFacts: Hashable, Sendable {
  /// The whole number of output frames.
  public var frameCount: Int
  /// The length of one output frame, in seconds.
  public var frameDuration: RationalTime
  /// The output's size in pixels.
  public var renderSize: PixelSize
  /// The container.
  public var fileType: FileType
  /// Whether the index stands at the front of the file.
  public var optimizeForNetworkUse: Bool
  /// The finished mix; `nil` for a file without sound.
  public var audioPath: String?
  /// The file to write; its owner renames it once it is finished.
  public var outputPath: String

  /// Facts from their parts.
  public init(
    frameCount: Int, frameDuration: RationalTime, renderSize: PixelSize, fileType: FileType,
    optimizeForNetworkUse: Bool, audioPath: String?, outputPath: String
  ) {
    self.frameCount = frameCount
    self.frameDuration = frameDuration
    self.renderSize = renderSize
    self.fileType = fileType
    self.optimizeForNetworkUse = optimizeForNetworkUse
    self.audioPath = audioPath
    self.outputPath = outputPath
  }

  /// The facts of a plan.
  public init(_ plan: Plan, audioPath: String?, outputPath: String) {
    self.init(
      frameCount: plan.frameCount, frameDuration: plan.frameDuration, renderSize: plan.renderSize,
      fileType: plan.export.fileType, optimizeForNetworkUse: plan.export.optimizeForNetworkUse,
      audioPath: audioPath, outputPath: outputPath)
  }
}
