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
  private static let detach = Flag(
    "detach", help: "Print the recording's id, and do not wait until it ends")

  static let syntax = CommandSyntax(
    program: "sheaf", name: "record", summary: "Record a live source",
    details: [
      "The coordinator receives the stream, so the recording continues if this command ends. "
        + "SOURCE is `udp://ADDRESS:PORT` for MPEG-TS in datagrams, which may be sent to a "
        + "multicast group, `tcp-listen://ADDRESS:PORT` for a sender that connects to the "
        + "coordinator, or `tcp://HOST:PORT` for a sender that the coordinator connects to. The "
        + "operator must allow the source (`sheaf-coordinator serve --recording-source`).",
      "The recording starts at the first keyframe, and nothing is re-encoded. It ends with the "
        + "first fragment that reaches --length, or when you run `sheaf stop`. Interruptions count "
        + "toward the length once the source sends again; if it stays silent, run `sheaf stop`. "
        + "With --output, the finished file is then saved. Each change of format starts another "
        + "file: take.mp4, take-2.mp4.",
    ],
    operand: Operand("SOURCE", help: "Where the stream comes from"),
    options: [
      Option.recordedOutput.declaration, Flag.overwrite.declaration, name.declaration,
      length.declaration, detach.declaration,
    ] + FarmConnection.options + [Flag.json.declaration, Flag.quiet.declaration],
    examples: [
      Example(
        "sheaf record udp://239.1.2.3:5000 --length 10m -o take.mp4",
        "Record ten minutes of a multicast stream")
    ])

  private let farm: FarmConnection
  private let submission: RecordingSubmission
  private let files: RecordingFiles?
  private let detaches: Bool
  private let format: ResultFormat

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    let text = arguments.operand
    guard let source = RecordingSource(text) else {
      throw CommandFailure(
        .usage, "the source is invalid", on: text,
        remedy: "write it like udp://239.1.2.3:5000, tcp-listen://0.0.0.0:9000 or "
          + "tcp://camera.local:9000")
    }
    let length = try arguments.value(Self.length)?.time(
      at: nil, for: "--length", or: "use seconds, such as 90s")
    submission = RecordingSubmission(
      name: try arguments.value(Self.name) ?? "\(source)", source: source, length: length)
    detaches = arguments.has(Self.detach)
    files = try arguments.value(.recordedOutput).map {
      try RecordingFiles($0, mayReplace: arguments.has(.overwrite))
    }
    format = ResultFormat(arguments)
    guard !detaches || files == nil else {
      throw CommandFailure(
        .usage, "the options cannot be used together", on: "--detach, --output",
        remedy: "save the file later with `sheaf recording ID -o FILE`")
    }
  }

  func run(on console: Console) async throws {
    let begun = try await farm.record(submission, under: .random())
    if detaches { return try await print(begun, [], on: console) }
    farm.resume(with: farm.command("recording", begun.id))
    let display = ProgressDisplay(on: console, isQuiet: format == .none)
    let (ended, paths) = try await Interruption.guarding(
      on: console,
      saying: "the recording continues: end it with `\(farm.command("stop", begun.id))`"
    ) {
      let ended = try await RecordingWatch(begun.id, at: farm).finish { display.show($0.progress) }
      let paths = try await files?.fetch(ended, from: farm, display: display) ?? []
      return (ended, paths)
    }
    display.clear()
    try await print(ended, paths, on: console)
    if let failure = ended.commandFailure { throw failure }
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
