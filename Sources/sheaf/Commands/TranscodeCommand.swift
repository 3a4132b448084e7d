import Arguments
import Foundation
import Timeline

/// `sheaf transcode`: re-encodes or copies one media file on a temporary farm on this machine.
struct TranscodeCommand: Command {
  private static let preset = Option<ExportPreset>.preset(
    help: "The export preset, e.g. 1080p, hevc1920x1080 or appleM4A")
  private static let codec = Option<VideoSettings.Codec>(
    "codec", choice: "NAME", synonyms: Option<VideoSettings.Codec>.synonyms,
    help: "The video codec: h264, hevc (h265), av1, vp9 or prores"
  ).also("video-codec")
  private static let crf = Option<Double>(
    "crf", value: "N", in: 0...63,
    help: "Constant quality on the encoder's own scale, instead of a bit rate")
  private static let bitRate = Option<Int64>.bitRate(
    "bit-rate", help: "The video bit rate in bits per second, e.g. 4M"
  ).also("video-bit-rate")
  private static let encoderPreset = Option<String>(
    "encoder-preset", value: "NAME", help: "The encoder's own speed preset, e.g. slow")
  private static let bitDepth = Option<String>(
    "bit-depth", value: "N", kind: .choice(["8", "10"]), help: "The video bit depth: 8 or 10")
  private static let audioCodec = Option<AudioSettings.Codec>(
    "audio-codec", choice: "NAME", help: "The audio codec: aac, opus, flac, alac or pcm")
  private static let audioBitRate = Option<Int64>.bitRate(
    "audio-bit-rate", help: "The audio bit rate in bits per second, e.g. 192k (default: 128k)")
  private static let start = Option<TimeArgument>(
    "start", value: "TIME",
    help: "Where to start in the input: seconds, 00:01:30, or 00:01:30:12 in the frames of the "
      + "input (default: 0)")
  private static let duration = Option<TimeArgument>(
    "duration", value: "TIME",
    help: "How much of the input to use, in the same forms (default: the rest)")
  private static let workers = Option<Int>(
    "workers", value: "N", in: 1...1024,
    help: "Render N × --slots segments at a time: at most 256, and only as many as fit in memory "
      + "together (default: the number of CPUs)")
  private static let slots = Option<Int>(
    "slots", value: "N", in: 1...1024,
    help: "The factor by which --workers is multiplied (default: 1)")
  private static let memory = Option<Int>(
    "memory", value: "BYTES", in: (64 << 20)...(1 << 50), of: "bytes",
    help: "The maximum memory for all segments that are rendered at a time (default: the "
      + "machine's, minus 10% or 512 MiB, whichever is larger)")

  static let syntax = CommandSyntax(
    program: "sheaf", name: "transcode",
    summary: "Re-encode or copy one media file on this machine",
    operand: Operand(
      "INPUT OUTPUT", .two, kind: .file,
      help: "The media file and the output file; the output's extension selects the container"),
    options: [
      preset.declaration, codec.declaration, crf.declaration, bitRate.declaration,
      encoderPreset.declaration, bitDepth.declaration, audioCodec.declaration,
      audioBitRate.declaration, start.declaration, duration.declaration, workers.declaration,
      slots.declaration, memory.declaration, Flag.overwrite.declaration,
      Flag.json.declaration, Flag.quiet.declaration,
    ],
    examples: [
      Example("sheaf transcode talk.mov talk.mp4", "Encode as H.264 with stereo AAC at 128 kb/s"),
      Example(
        "sheaf transcode talk.mov talk.webm --codec av1 --crf 32",
        "Encode as AV1 at constant quality, with Opus"),
      Example("sheaf transcode song.wav song.m4a", "Encode an audio file as AAC"),
      Example(
        "sheaf transcode talk.mp4 cut.mov --preset passthrough --start 60 --duration 90",
        "Copy a part of the file without encoding it again"),
    ])

  private let settings: TranscodeSettings
  private let output: OutputPath
  private let farm: LocalRendering
  private let format: ResultFormat

  init(_ arguments: ParsedArguments) throws {
    let (input, output) = (arguments.operands[0], arguments.operands[1])
    settings = TranscodeSettings(
      input: input, preset: try arguments.value(Self.preset),
      codec: try arguments.value(Self.codec), crf: try arguments.value(Self.crf),
      bitRate: try arguments.value(Self.bitRate),
      encoderPreset: try arguments.value(Self.encoderPreset),
      bitDepth: try arguments.value(Self.bitDepth),
      audioCodec: try arguments.value(Self.audioCodec),
      audioBitRate: try arguments.value(Self.audioBitRate),
      start: try arguments.value(Self.start), duration: try arguments.value(Self.duration))
    farm = LocalRendering(
      workers: try arguments.value(Self.workers)
        ?? ProcessInfo.processInfo.activeProcessorCount,
      slots: try arguments.value(Self.slots) ?? 1, memory: try arguments.value(Self.memory))
    format = ResultFormat(arguments)
    self.output = try OutputPath(
      output, inputs: [input], mayReplace: arguments.has(.overwrite))
  }

  func run(on console: Console) async throws {
    let display = ProgressDisplay(on: console, isQuiet: format == .none)
    do {
      let file = try await Interruption.guarding {
        try await farm.render(files: [settings.path], to: output, showing: display) { hashed in
          try await settings.project(to: output, hashed)
        }
      }
      let elapsed = display.elapsed
      display.clear()
      try await console.print(file, in: format, elapsed: elapsed)
    } catch {
      display.clear()
      throw error
    }
  }
}
