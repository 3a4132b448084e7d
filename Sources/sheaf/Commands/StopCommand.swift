import Arguments
import FarmAPI

/// `sheaf stop`: stops recordings.
struct StopCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "stop", summary: "Stop recordings, and wait for their files",
    details: [
      "The files contain everything that was received until then. If a recording failed without a "
        + "file because the disk was full, free some space, then run this command to create the "
        + "file."
    ],
    operand: Operand(
      "RECORDING", .oneOrMore, help: "The recordings' ids, or unique beginnings of them"),
    options: FarmConnection.options + [Flag.json.declaration],
    examples: [Example("sheaf stop 5f0c", "Stop a recording, and wait for its file")])

  private let farm: FarmConnection
  private let recordings: [String]
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    recordings = arguments.operands
    printsJSON = arguments.has(.json)
  }

  func run(on console: Console) async throws {
    try await EachSubject.run(recordings, on: console) { text in
      let id = try await farm.recording(matching: text).id
      _ = try await farm.stop(recording: id)
      let recording = try await RecordingWatch(id, at: farm).finish { _ in }
      if printsJSON { return try console.print(json: recording) }
      try console.print("\(recording.id) \(recording.state.rawValue)")
      if let failure = recording.commandFailure { throw failure }
    }
  }
}
