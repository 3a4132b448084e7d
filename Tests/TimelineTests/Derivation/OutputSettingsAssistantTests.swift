import ProjectFormat
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct OutputSettingsAssistantTests {
  private static func assistant(
    _ preset: String?, width: Int, height: Int, fileType: FileType? = nil
  ) throws -> OutputSettingsAssistant {
    let index = try MediaIndex.clip(
      seconds: RationalTime(10), size: PixelSize(width: width, height: height))
    return OutputSettingsAssistant(
      preset: preset.flatMap(ExportPreset.named), sourceVideo: index.video.first,
      sourceAudio: index.audio.first, fileType: fileType)
  }

  @Test(arguments: [
    (320, 240, 311_040), (638, 480, 1_240_272), (640, 480, 3_102_720), (1920, 1080, 20_943_360),
  ])
  func `without a preset the bit rate depends on the frame size`(
    width: Int, height: Int, bitRate: Int
  ) throws {
    let video = try #require(
      try Self.assistant(nil, width: width, height: height).videoSettings)
    #expect(video == VideoSettings(codec: .h264, bitRate: bitRate, keyFrameInterval: 30))
  }

  @Test func `without a preset audio is stereo AAC at 128 kilobits per second`() throws {
    #expect(
      try Self.assistant(nil, width: 640, height: 360).audioSettings
        == AudioSettings(codec: .aac, bitRate: 128_000, sampleRate: 48_000, channels: 2))
  }

  @Test func `a preset and the source's format determine all settings`() throws {
    let assistant = try Self.assistant("hevc1920x1080", width: 3840, height: 2160)
    #expect(assistant.outputSize == PixelSize(width: 1920, height: 1080))
    #expect(assistant.frameDuration == (try RationalTime(1, 25)))
    #expect(assistant.videoSettings?.codec == .hevc)
    #expect(assistant.videoSettings?.crf == 22)
    #expect(assistant.exportSettings.fileType == .mp4)
    #expect(assistant.exportSettings.findings() == [])
  }

  @Test(arguments: ExportPreset.all)
  func `no preset enlarges a picture, and each supports its container`(preset: ExportPreset) throws
  {
    let assistant = try Self.assistant(preset.name, width: 320, height: 180)
    #expect(assistant.outputSize == (preset.isAudioOnly ? nil : PixelSize(width: 320, height: 180)))
    #expect(assistant.exportSettings.findings() == [])
  }

  @Test func `without a preset the container determines the codecs`() throws {
    let export = try Self.assistant(nil, width: 640, height: 360, fileType: .webm).exportSettings
    #expect(export.video.codec == .vp9)
    #expect(export.audio.codec == .opus)
    #expect(export.findings() == [])
  }

  @Test func `the estimated length follows the bit rate`() throws {
    let export = ExportSettings(
      video: VideoSettings(bitRate: 1_000_000), audio: AudioSettings(bitRate: 128_000))
    let length = export.estimatedLength(
      size: PixelSize(width: 640, height: 360), frameDuration: try RationalTime(1, 30),
      duration: RationalTime(8), hasSound: true)
    #expect(length == 1_128_000)
  }
}
