import Foundation
import Media
import Rendering
import Support
import Testing
import Timeline

/// Sound of every codec, in every container that supports it.
@Suite(.mayBlock) struct SoundCodecTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var audio: AudioSettings
    var fileType: FileType

    var testDescription: String {
      "\(audio.codec.rawValue) \(audio.bitDepth ?? 0) in \(fileType.rawValue)"
    }
  }

  static let cases: [Case] = [
    AudioSettings(), AudioSettings(codec: .opus), AudioSettings(codec: .flac),
    AudioSettings(codec: .flac, bitDepth: 24), AudioSettings(codec: .alac),
    AudioSettings(codec: .alac, bitDepth: 24), AudioSettings(codec: .pcm),
    AudioSettings(codec: .pcm, bitDepth: 24),
  ].flatMap { audio in
    FileType.allCases.filter { $0.audioCodecs.contains(audio.codec) && $0 != .m4a }.map {
      Case(audio: audio, fileType: $0)
    }
  }

  private static func video(for fileType: FileType) -> VideoSettings {
    fileType == .webm
      ? VideoSettings(codec: .vp9, crf: 40, encoderPreset: "8")
      : VideoSettings(crf: 30, encoderPreset: "ultrafast")
  }

  @Test(arguments: cases)
  func `clicks are heard at their exact samples`(_ instance: Case) throws {
    var chunks = try TestChunks(frameCount: 30)
    chunks.video = Self.video(for: instance.fileType)
    let mix = try chunks.mix(sampleCount: 48_000, settings: instance.audio)
    let facts = chunks.facts(
      frameCount: 30, audio: mix, named: "out.\(instance.fileType.rawValue)")
    try chunks.assemble([try chunks.chunk(0..<30)], facts)
    var sound = try PCM.read(facts.outputPath, channels: 2)
    if instance.fileType.isMatroska, instance.audio.codec == .aac {
      // FFmpeg also decodes the sound before time 0 of a Matroska file, which is the encoder's delay.
      sound = sound.map { Array($0.dropFirst(1024)) }
      #expect(try Self.startTime(of: facts.outputPath) == "-0.021000")
    }
    let clicks = stride(from: 100, to: 48_000, by: 9600)
    if instance.fileType.isMatroska, instance.audio.codec == .opus {
      // Matroska states the delay of 312 samples to the millisecond; decoding removes the same delay.
      #expect(try Self.startTime(of: facts.outputPath) == "-0.007000")
    }
    if instance.audio.codec == .opus {
      // Opus smears a click, but its loudest sample is within a fraction of a millisecond.
      for click in clicks.dropFirst() {
        let window = (click - 400)..<(click + 400)
        let loudest = window.max { abs(sound[0][$0]) < abs(sound[0][$1]) }
        #expect(abs((loudest ?? 0) - click) <= 24)
      }
    } else {
      let loud = sound[0].indices.filter { abs(sound[0][$0]) > 0.3 }
      #expect(loud == Array(clicks))
    }
    if instance.audio.codec.isLossless { #expect(sound[0][100] == 0.75) }
    if instance.audio.codec.isLossless { #expect(sound[0].count == 48_000) }
    let complaint = try Tool.output(
      of: "ffmpeg", ["-v", "error", "-i", facts.outputPath, "-f", "null", "-"])
    #expect(complaint.standardError.isEmpty, "\(complaint.standardError)")
  }

  private static func startTime(of path: String) throws -> String {
    let text = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "a:0", "-show_entries", "stream=start_time", "-of",
        "csv=p=0", path,
      ])
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test(arguments: [AudioSettings(), AudioSettings(codec: .alac)])
  func `a file can be audio-only`(audio: AudioSettings) throws {
    let chunks = try TestChunks(frameCount: 1)
    let mix = try chunks.mix(sampleCount: 48_000, settings: audio)
    let facts = chunks.facts(frameCount: 0, audio: mix, named: "out.m4a")
    try chunks.assemble([], facts)
    let index = try MediaProber.index(
      of: try FileByteSource(path: facts.outputPath), named: "sound")
    #expect(index.duration == RationalTime(1))
    #expect(index.video.isEmpty)
    let sound = try PCM.read(facts.outputPath, channels: 2)
    let loud = sound[0].indices.filter { abs(sound[0][$0]) > 0.3 }
    #expect(loud == Array(stride(from: 100, to: 48_000, by: 9600)))
    let head = try Data(contentsOf: URL(fileURLWithPath: facts.outputPath)).prefix(12)
    #expect(String(decoding: head.suffix(4), as: UTF8.self) == "M4A ")
  }
}
