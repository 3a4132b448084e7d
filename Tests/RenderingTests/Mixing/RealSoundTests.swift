import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// Splicing the sound of real footage, whose encoders use different windows, containers and layouts of channels: all
/// clips with at least seven seconds of AAC.
@Suite(.mayBlock, .needsSharedMedia) struct RealSoundTests {
  /// How much of a clip is mixed.
  private static let seconds: Int64 = 7

  /// A clip whose sound is spliced.
  struct Clip: CustomTestStringConvertible, Sendable {
    let name: String
    /// Whether its encoder substitutes noise (PNS).
    var hasNoise = false
    /// Whether the sound after the fade is copied too.
    var isJoined = true

    var testDescription: String { name }
  }

  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test(arguments: [
    Clip(name: "ag_bbb_360p30_60s_aac.ts", hasNoise: true),
    // Packets of six channels whose windows are half sine waves cannot follow encoded ones.
    Clip(name: "chth_bbb_480p24_aac51_30s.mp4", isJoined: false),
    Clip(name: "fl_butterfly_720p2997_h264_aac.mp4"),
    Clip(name: "gopro_max_heromode_480p2997.mp4"),
    Clip(name: "intel_car_432p_12.5fps_aac.mp4"),
    Clip(name: "mb_video-h265_1080p30.mp4", hasNoise: true),
    // At 3.6 s, a packet's time is 412 samples late. After it, places cannot be counted.
    Clip(name: "mdn_person_greenscreen_5994.mp4", isJoined: false),
    Clip(name: "mdn_rabbit_480p30_baseline.mp4"),
    Clip(name: "tc_nasa_13013_multistream.mp4"),
  ])
  func `most of real sound with a fade is copied, with good seams`(clip: Clip) throws {
    let sound = try Self.sound(clip.name, in: folder)
    #expect(sound.spliced.copied.seconds > (clip.isJoined ? 4.5 : 2.5))
    #expect(try sound.check(hasNoise: clip.hasNoise).count == (clip.isJoined ? 2 : 1))
  }

  @Test func `silence stays silent`() throws {
    // All of its packets are equal, so that their places are unknown.
    let sound = try Self.sound("ax_long_1080p30_363s_lowbitrate.mp4", in: folder)
    #expect(sound.spliced.copied.seconds > 4.5)
    #expect(sound.heard.allSatisfy { $0.count >= sound.sampleCount && !$0.contains { $0 != 0 } })
  }

  /// The spliced sound of a clip with a fade.
  private static func sound(_ name: String, in folder: TemporaryDirectory) throws -> SplicedSound {
    let path = SharedMedia.path(name)
    let stream = try TestMix.source(path).stream
    let mix = try TestMix.dip(
      path, seconds: seconds,
      settings: AudioSettings(sampleRate: stream.sampleRate, channels: stream.channels))
    return try SplicedSound(mix, upTo: Int(seconds) + 2, in: folder)
  }
}
