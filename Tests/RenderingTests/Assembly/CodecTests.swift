import Foundation
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// Chunks of every codec, joined in every container that supports it.
@Suite(.mayBlock) struct CodecTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var video: VideoSettings
    var file: String
    /// The pixel format of FFmpeg's decoder, which returns 12 bits for any ProRes 4444.
    var pixels: String

    var testDescription: String {
      "\(video.codec.rawValue) \(video.profile ?? "") \(video.effectiveBitDepth) bit in \(file)"
    }
  }

  static let fast: [VideoSettings] = [
    VideoSettings(codec: .h264, crf: 24, encoderPreset: "veryfast", bitDepth: 10),
    VideoSettings(codec: .hevc, crf: 26, encoderPreset: "veryfast"),
    VideoSettings(codec: .hevc, encoderPreset: "superfast", bitRate: 300_000, bitDepth: 10),
    VideoSettings(codec: .av1, crf: 30, encoderPreset: "10"),
    VideoSettings(codec: .av1, crf: 30, encoderPreset: "12", bitDepth: 10),
    VideoSettings(codec: .vp9, crf: 30, encoderPreset: "8"),
    VideoSettings(codec: .vp9, encoderPreset: "8", bitRate: 300_000, bitDepth: 10),
    VideoSettings(codec: .prores, profile: "standard"),
    VideoSettings(codec: .prores, profile: "4444"),
  ]

  static let cases: [Case] = fast.flatMap { video in
    FileType.allCases.filter { $0.videoCodecs.contains(video.codec) }.map { type in
      let pixels =
        switch (video.codec, video.effectiveBitDepth) {
        case (.prores, _): video.profile == "4444" ? "yuv444p12le" : "yuv422p10le"
        case (_, 10): "yuv420p10le"
        default: "yuv420p"
        }
      return Case(video: video, file: "out.\(type.rawValue)", pixels: pixels)
    }
  }

  private static func chunks(_ video: VideoSettings, frameCount: Int) throws -> TestChunks {
    var chunks = try TestChunks(frameCount: frameCount)
    chunks.video = video
    return chunks
  }

  // A codec has two, three or four file types, so every fifth case has each codec and each type.
  @Test(arguments: Thoroughness.sample(cases, every: 5))
  func `chunks of any length join without a seam`(_ instance: Case) throws {
    let chunks = try Self.chunks(instance.video, frameCount: 50)
    var parts: [(path: String, count: Int)] = []
    var first = 0
    for count in [1, 20, 5, 2, 22] {
      parts.append(try chunks.chunk(first..<first + count))
      first += count
    }
    let facts = chunks.facts(frameCount: 50, named: instance.file)
    try chunks.assemble(parts, facts)
    let path = facts.outputPath

    #expect(
      try FrameNameReader.names(in: path) == (0..<50).map { FrameName(source: 9, frame: $0) })
    let complaint = try Tool.output(of: "ffmpeg", ["-v", "error", "-i", path, "-f", "null", "-"])
    #expect(complaint.standardError.isEmpty, "\(complaint.standardError)")
    let index = try MediaProber.index(of: try FileByteSource(path: path), named: path)
    let stream = try #require(index.video.first)
    #expect(stream.codec == instance.video.codec.rawValue)
    #expect(stream.pixelFormat == instance.pixels)
    #expect(stream.frames.times.count == 50)
    // Matroska's times are in milliseconds.
    let tolerance = facts.fileType.isMatroska ? try RationalTime(1, 1000) : .zero
    for (number, time) in stream.frames.times.enumerated() {
      let shown = try stream.timeBase * time - RationalTime(Int64(number), 30)
      let sooner = try .zero - shown
      #expect(shown <= tolerance && sooner <= tolerance, "frame \(number)")
    }
  }

  @Test(arguments: fast)
  func `a segment that is rendered again has the same bytes`(_ video: VideoSettings) throws {
    let chunks = try Self.chunks(video, frameCount: 24)
    let paths = [
      try chunks.chunk(0..<24, named: "one").path, try chunks.chunk(0..<24, named: "two").path,
    ]
    #expect(FileManager.default.contentsEqual(atPath: paths[0], andPath: paths[1]))
  }

  @Test(arguments: fast)
  func `a chunk has keyframes at the requested interval`(_ video: VideoSettings) throws {
    guard video.codec != .prores else { return }
    var chunks = try Self.chunks(video, frameCount: 24)
    chunks.video.keyFrameInterval = 8
    let chunk = try chunks.chunk(0..<24)
    let index = try MediaProber.index(of: try FileByteSource(path: chunk.path), named: "chunk")
    let stream = try #require(index.video.first)
    let keys = try stream.frames.keyframes.map {
      try (stream.timeBase * $0.time).ticks(of: RationalTime(1, 30), rounding: .nearest)
    }
    #expect(Set(keys).isSuperset(of: [0, 8, 16]))
  }

  @Test(arguments: [Self.fast[0], Self.fast[1]], ["mp4", "mkv"])
  func `a passthrough file can consist of encoded chunks only`(
    _ video: VideoSettings, type: String
  ) throws {
    let chunks = try Self.chunks(video, frameCount: 20)
    var facts = chunks.facts(frameCount: 20, named: "out.\(type)")
    facts.carried = CarriedFormat(
      delay: 2, pixelFormat: video.effectiveBitDepth == 10 ? "yuv420p10le" : "yuv420p",
      parameterSets: [],
      encoded: CarriedFormat.EncodedFormat(video: video, workingFormat: nil))
    try chunks.assemble([try chunks.chunk(0..<9), try chunks.chunk(9..<20)], facts)
    #expect(
      try FrameNameReader.names(in: facts.outputPath)
        == (0..<20).map { FrameName(source: 9, frame: $0) })
  }

  @Test func `H.265 has the tag hvc1 in MP4 and QuickTime files`() throws {
    let chunks = try Self.chunks(Self.fast[1], frameCount: 10)
    let part = try chunks.chunk(0..<10)
    for name in ["a.mp4", "b.mov"] {
      let facts = chunks.facts(frameCount: 10, named: name)
      try chunks.assemble([part], facts)
      let tag = try Tool.run(
        "ffprobe",
        [
          "-v", "error", "-show_entries", "stream=codec_tag_string", "-of", "csv=p=0",
          facts.outputPath,
        ])
      #expect(String(decoding: tag, as: UTF8.self).hasPrefix("hvc1"))
    }
  }

  @Test(arguments: ["mp4", "mkv"])
  func `the file states the pixel aspect ratio`(type: String) throws {
    var chunks = try Self.chunks(VideoSettings(crf: 28, encoderPreset: "ultrafast"), frameCount: 10)
    chunks.video.pixelAspectRatio = try RationalTime(4, 3)
    let facts = chunks.facts(frameCount: 10, named: "out.\(type)")
    try chunks.assemble([try chunks.chunk(0..<10)], facts)
    let ratio = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-show_entries", "stream=sample_aspect_ratio", "-of", "csv=p=0",
        facts.outputPath,
      ])
    #expect(String(decoding: ratio, as: UTF8.self).hasPrefix("4:3"))
  }
}
