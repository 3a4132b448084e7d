import Arguments
import FarmAPI
import Foundation
import Timeline

/// `sheaf record`: records a live source on a coordinator.
struct RecordCommand: Command {
  private static let name = Option<String>(
    "name", value: "NAME", help: "The recording's name (default: the source)")
  private static let length = Option<TimeArgument>(
    "length", value: "TIME", help: "Stop when the recording is this long: 90s, 10m, 1:30:00")
  private static let byteLimit = Option<Int64>(
    "max-size", value: "SIZE", expecting: "a size such as 500M or 4GiB",
    help: "Stop when the recording has this many bytes: 500M, 4GiB"
  ) { ScaledNumber.bytes($0).flatMap { $0 > 0 ? $0 : nil } }
  private static let split = Option<TimeArgument>(
    "split", value: "TIME", help: "Start a new file every TIME: 10m, 1:00:00")
  private static let videoBitRate = bitRate(
    "video-bit-rate", in: RecordingEncoding.videoBitRates,
    help: "The bit rate of pictures that are encoded, e.g. 8M (default: depends on their size)")
  private static let keyframeInterval = Option<Int>(
    "keyframe-interval", value: "N", in: RecordingEncoding.keyframeIntervals,
    help: "A keyframe every N pictures, if they are encoded (default: 30)")
  private static let audioBitRate = bitRate(
    "audio-bit-rate", in: RecordingEncoding.audioBitRates,
    help: "The bit rate of sound that is encoded, e.g. 192k (default: 128k)")
  private static let size = Option<PixelSize>(
    "size", value: "WxH",
    help: "The size to request from a camera, e.g. 1920x1080 or 720p (default: its current one)")
  private static let frameRate = Option<FrameRateArgument>(
    "frame-rate", value: "RATE",
    help: "The frame rate to request from a camera (default: its highest, up to 60)")
  private static let detach = Flag(
    "detach", help: "Print the recording's id, and do not wait until it ends")

  static let syntax = CommandSyntax(
    program: "sheaf", name: "record", summary: "Record a live source",
    details: [
      "The coordinator receives the stream, so the recording continues if this command ends. "
        + "SOURCE is `udp://ADDRESS:PORT` for MPEG-TS in datagrams to an address of the "
        + "coordinator's host or to a multicast group, `tcp-listen://ADDRESS:PORT` for a sender "
        + "that connects to the coordinator, or `tcp://HOST:PORT` for a sender that the "
        + "coordinator connects to. `srt-listen://ADDRESS:PORT` and `srt://HOST:PORT` do the same "
        + "over SRT, with an optional passphrase. `rtmp-listen://ADDRESS:PORT` is for encoders "
        + "that publish over RTMP, such as OBS; its passphrase is their stream key. "
        + "`rtsp://HOST:PORT/PATH` is for IP cameras and other RTSP servers; its passphrase is "
        + "`user:password`. For "
        + "`https://HOST/PATH.m3u8`, an HTTP Live Streaming (HLS) playlist, the coordinator "
        + "downloads the stream. `v4l2:///dev/video0` and `alsa://hw:CARD,DEVICE` are a camera and a "
        + "sound card of the coordinator's host; join both with `+` to record them together. The "
        + "operator must allow the source (`sheaf-coordinator serve --recording-source`).",
      "With `-` as SOURCE, this command uploads MPEG-TS, Y4M or WAV from its standard input, which "
        + "needs no permission. The recording ends with the input.",
      "The recording starts at the first keyframe. Streams are copied if MP4 files can hold them. "
        + "Otherwise, sound is encoded as AAC, and pictures as H.264. The recording ends once it is "
        + "at least as long as --length or as large as --max-size, or when you run `sheaf stop`. "
        + "Interruptions count toward the length once the source sends again; if it stays silent, "
        + "run `sheaf stop`. The finished file is saved here only with --output.",
      "With --split, a new file starts at the first keyframe after TIME. The files contain all "
        + "pictures and sound. Each change of format also starts another file: take.mp4, "
        + "take-2.mp4.",
    ],
    operand: Operand("SOURCE", help: "Where the stream comes from"),
    options: [
      Option.recordedOutput.declaration, Flag.overwrite.declaration, name.declaration,
      length.declaration, byteLimit.declaration, split.declaration, detach.declaration,
      RecordingPassphrase.option, videoBitRate.declaration, keyframeInterval.declaration,
      audioBitRate.declaration, size.declaration, frameRate.declaration,
    ] + FarmConnection.options + [Flag.json.declaration, Flag.quiet.declaration],
    examples: [
      Example(
        "sheaf record udp://239.1.2.3:5000 --length 10m -o take.mp4",
        "Record ten minutes of a multicast stream"),
      Example("sheaf record - -o take.mp4", "Record the MPEG-TS on standard input"),
      Example(
        "sheaf record v4l2:///dev/video0+alsa://hw:1,0 --size 720p -o take.mp4",
        "Record a camera and a microphone of the coordinator's host"),
    ])

  private let farm: FarmConnection
  private let submission: RecordingSubmission
  private let files: RecordingFiles?
  private let detaches: Bool
  private let format: ResultFormat

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    let text = arguments.operand
    guard let source = text == "-" ? .upload : RecordingSource(text),
      source != .upload || text == "-"
    else {
      guard !RecordingSource.hasCredentials(text) else {
        // The address is not repeated, because it contains a password.
        throw CommandFailure(
          .usage, "an address must not contain a user or a password", on: "SOURCE",
          remedy:
            "leave them out, and write user:password to a file that --passphrase-file names; write "
            + "an @ in a path as %40")
      }
      throw CommandFailure(
        .usage, "the source is invalid", on: text,
        remedy: "write it like \(RecordingSource.examples), or - for standard input")
    }
    let length = try arguments.value(Self.length)?.time(
      at: nil, for: "--length", or: "use seconds, such as 90s")
    submission = RecordingSubmission(
      name: try arguments.value(Self.name) ?? (source == .upload ? "standard input" : "\(source)"),
      source: source, length: length, byteLimit: try arguments.value(Self.byteLimit),
      splitLength: try Self.splitLength(arguments),
      passphrase: try RecordingPassphrase.read(for: source, arguments),
      encoding: try Self.encoding(arguments), capture: try Self.capture(from: source, arguments))
    detaches = arguments.has(Self.detach)
    files = try arguments.value(.recordedOutput).map {
      try RecordingFiles($0, mayReplace: arguments.has(.overwrite))
    }
    format = ResultFormat(arguments)
    guard source != .upload || !detaches else {
      throw CommandFailure(
        .usage, "standard input cannot be recorded with --detach", on: "-",
        remedy: "leave out --detach: the recording ends with its input")
    }
    guard source != .upload || !StandardInput.isTerminal else {
      throw CommandFailure(
        .usage, "standard input is a terminal", on: "-",
        remedy: "pipe MPEG-TS into this command, as in `ffmpeg … -f mpegts - | sheaf record -`")
    }
    guard !detaches || files == nil else {
      throw CommandFailure(
        .usage, "the options cannot be used together", on: "--detach, --output",
        remedy: "save the file later with `sheaf recording ID -o FILE`")
    }
  }

  /// A bit rate within limits.
  private static func bitRate(
    _ name: String, in allowed: ClosedRange<Int>, help: String
  ) -> Option<Int> {
    Option(
      name, value: "RATE",
      expecting: "a bit rate from \(allowed.lowerBound) to \(allowed.upperBound), such as "
        + "\(allowed.upperBound / 1000)k",
      help: help
    ) { text in
      ScaledNumber.bitRate(text).map { Int($0) }.flatMap { allowed.contains($0) ? $0 : nil }
    }
  }

  /// How to encode streams; `nil` for the default settings.
  private static func encoding(_ arguments: ParsedArguments) throws -> RecordingEncoding? {
    let encoding = RecordingEncoding(
      videoBitRate: try arguments.value(videoBitRate),
      keyframeInterval: try arguments.value(keyframeInterval),
      audioBitRate: try arguments.value(audioBitRate))
    return encoding == RecordingEncoding() ? nil : encoding
  }

  /// The settings to request from capture devices; `nil` for the default settings.
  private static func capture(
    from source: RecordingSource, _ arguments: ParsedArguments
  ) throws -> CaptureSettings? {
    let capture = CaptureSettings(
      size: try arguments.value(size), frameRate: try arguments.value(frameRate)?.value)
    guard capture != CaptureSettings() else { return nil }
    let given = [capture.size.map { _ in "--size" }, capture.frameRate.map { _ in "--frame-rate" }]
      .compactMap(\.self).joined(separator: ", ")
    guard source.devices.contains(where: \.isVideo) else {
      throw CommandFailure(
        .usage, "the option needs a camera as the source", on: given,
        remedy: "record v4l2:///dev/…, or leave it out")
    }
    if let problem = capture.problem(with: source) {
      throw CommandFailure(.usage, problem, on: given, remedy: "use another value")
    }
    return capture
  }

  private static func splitLength(_ arguments: ParsedArguments) throws -> RationalTime? {
    guard let text = try arguments.value(split) else { return nil }
    let length = try text.time(at: nil, for: "--split", or: "use seconds, such as 600s")
    let shortest = RecordingSubmission.shortestSplit
    guard length >= RationalTime(shortest) else {
      throw CommandFailure(
        .usage, "the files would be too short", on: "--split",
        remedy: "split into files of at least \(shortest) s")
    }
    return length
  }

  func run(on console: Console) async throws {
    let begun = try await farm.record(submission, under: .random())
    if detaches { return try await print(begun, [], on: console) }
    farm.resume(with: farm.command("recording", begun.id))
    let display = ProgressDisplay(on: console, isQuiet: format == .none)
    let (ended, paths) = try await guarding(begun, on: console) {
      let ended = try await finish(begun) { display.show($0.progress) }
      let paths = try await files?.fetch(ended, from: farm, display: display) ?? []
      return (ended, paths)
    }
    display.clear()
    try await print(ended, paths, on: console)
    if let failure = ended.commandFailure { throw failure }
  }

  /// Runs `body`. If a signal stops it, ends the recording if its stream is uploaded; any other recording continues.
  private func guarding<Value: Sendable>(
    _ begun: RecordingStatus, on console: Console,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard submission.source == .upload else {
      let command = farm.command("stop", begun.id)
      return try await Interruption.guarding(
        on: console, saying: "the recording continues: stop it with `\(command)`", body)
    }
    do {
      return try await Interruption.guarding(body)
    } catch let failure as CommandFailure where failure == .interrupted {
      _ = try await farm.stop(recording: begun.id)
      let command = farm.command("recording", begun.id)
      console.report("sheaf: the recording ends here: show it with `\(command)`")
      throw failure
    }
  }

  /// Waits until the recording has ended, and uploads its stream if that is on standard input.
  private func finish(
    _ begun: RecordingStatus, _ show: @escaping @Sendable (RecordingStatus) -> Void
  ) async throws -> RecordingStatus {
    let watch = RecordingWatch(begun.id, at: farm)
    guard submission.source == .upload else { return try await watch.finish(show) }
    return try await withThrowingTaskGroup(of: RecordingStatus?.self) { group in
      group.addTask {
        try await farm.uploadStandardInput(to: begun.id)
        return nil
      }
      group.addTask { try await watch.finish(show) }
      defer { group.cancelAll() }
      while let ended = try await group.next() {
        if let ended { return ended }
      }
      throw CancellationError()
    }
  }

  private func print(
    _ recording: RecordingStatus, _ paths: [String], on console: Console
  ) async throws {
    switch format {
    case .json: try console.print(json: recording)
    case .none: break
    case .text:
      try console.print("\(recording.id) \(recording.state.rawValue)")
      for line in recording.lossLines { try console.print(prose: line) }
      for path in paths { try console.print(prose: "saved \(path)") }
    }
  }
}
