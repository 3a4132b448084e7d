import Foundation
import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// The expected peak memory of segments.
@Suite(.mayBlock) struct PeakMemoryTests {
  private static let mebibyte = 1_048_576

  /// A second of a clip with 1920×1080 pixels that is encoded.
  private func segment(
    _ video: VideoSettings = VideoSettings(), size: PixelSize = PixelSize(width: 1920, height: 1080)
  ) throws -> SegmentDescription {
    let index = try MediaIndex.clip(seconds: RationalTime(8))
    let plan = try Planned.plan(
      ClipSequence(items: [.clip(SequenceClip(path: "a"))]), ["a": index],
      options: PlanOptions(targetFrames: 200))
    var segment = try #require(plan.segments.first)
    (segment.video, segment.renderSize) = (video, size)
    return segment
  }

  @Test(arguments: VideoSettings.Codec.allCases)
  func `a segment needs more memory the larger its pictures are`(codec: VideoSettings.Codec) throws
  {
    let sizes = [(1280, 720), (1920, 1080), (3840, 2160), (7680, 4320)]
    let peaks = try sizes.map {
      try segment(VideoSettings(codec: codec), size: PixelSize(width: $0.0, height: $0.1))
        .peakMemory
    }
    #expect(peaks == peaks.sorted())
    #expect(Set(peaks).count == peaks.count)
  }

  @Test(arguments: [VideoSettings.Codec.h264, .hevc, .av1, .vp9])
  func `a segment of 10 bits needs more memory than one of 8`(codec: VideoSettings.Codec) throws {
    for preset in codec.encoderPresets {
      let peaks = try [8, 10].map {
        try segment(VideoSettings(codec: codec, encoderPreset: preset, bitDepth: $0)).peakMemory
      }
      #expect(peaks[0] < peaks[1], "\(preset)")
    }
  }

  @Test(arguments: [VideoSettings.Codec.h264, .hevc])
  func `a more thorough preset never needs less memory`(codec: VideoSettings.Codec) throws {
    let peaks = try codec.encoderPresets.map {
      try segment(VideoSettings(codec: codec, encoderPreset: $0)).peakMemory
    }
    #expect(peaks == peaks.sorted())
  }

  static let options: [(VideoSettings.Codec, String, String)] = [
    (.h264, "rc-lookahead", "80"), (.h264, "ref", "8"), (.h264, "bframes", "8"),
    (.h264, "bf", "8"), (.hevc, "rc-lookahead", "60"), (.hevc, "ref", "5"),
    (.hevc, "bframes", "8"),
  ]

  @Test(arguments: options)
  func `options that hold more pictures need more memory`(
    codec: VideoSettings.Codec, name: String, value: String
  ) throws {
    let usual = try segment(VideoSettings(codec: codec)).peakMemory
    let asked = try segment(VideoSettings(codec: codec, options: [name: value])).peakMemory
    #expect(asked > usual)
    let absurd = try segment(VideoSettings(codec: codec, options: [name: "\(Int.max)"])).peakMemory
    #expect(absurd >= asked)
  }

  @Test func `a segment that is shorter than the look-ahead needs less memory`() throws {
    var short = try segment()
    short.end = short.first + 10
    #expect(try short.peakMemory < segment().peakMemory)
  }

  @Test func `a segment with several decoders needs more memory`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(4))
    let plan = try Planned.plan(
      ClipSequence(items: [
        .clip(SequenceClip(path: "a")),
        .transition(SequenceTransition(kind: .push, duration: RationalTime(1))),
        .clip(SequenceClip(path: "b")),
      ]), ["a": index, "b": index], options: PlanOptions(targetFrames: 30))
    let transition = try #require(plan.segments.first { $0.slices[0].layers.count == 2 })
    var alone = transition
    alone.slices[0].layers.removeLast()
    #expect(transition.peakMemory > alone.peakMemory)
  }

  @Test func `a copied segment needs little memory, and more if it is decoded for verification`()
    throws
  {
    let plan = try Copied.plan(["a": Copied.clip()], #"{"clip": "a"}"#)
    var copied = try #require(plan.segments.first { $0.copy != nil })
    #expect((60 * Self.mebibyte...128 * Self.mebibyte).contains(copied.peakMemory))
    let unverified = copied.peakMemory
    copied.copy?.isVerified = true
    #expect(copied.peakMemory > unverified)
  }

  @Test func `absurd picture sizes do not overflow the estimate`() throws {
    var segment = try segment(size: PixelSize(width: .max, height: .max))
    segment.sources[0].stream.size = PixelSize(width: .max, height: .max)
    #expect(segment.peakMemory == 1 << 60)
  }

  @Test func `the expected memory is not part of the content key`() throws {
    let segment = try segment()
    let text = String(decoding: try JSONEncoder().encode(segment), as: UTF8.self)
    #expect(!text.contains("emory"))
  }
}
