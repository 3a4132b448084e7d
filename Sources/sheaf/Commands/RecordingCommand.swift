import Arguments
import FarmAPI
import Recording

/// `sheaf recording`: shows a recording, saves its file, or deletes it.
struct RecordingCommand: Command {
  private static let deletes = Flag(
    "delete", help: "Delete the recording, which must have ended, and its files")

  static let syntax = CommandSyntax(
    program: "sheaf", name: "recording", summary: "Show a recording, save its file, or delete it",
    operand: Operand("ID", help: "The recording's id, or a unique beginning of it"),
    options: [Option.recordedOutput.declaration, Flag.overwrite.declaration, deletes.declaration]
      + FarmConnection.options + [Flag.json.declaration, Flag.quiet.declaration],
    examples: [
      Example("sheaf recording 5f0c", "Show what was recorded and what is missing"),
      Example("sheaf recording 5f0c -o take.mp4", "Save the finished file"),
    ])

  private let farm: FarmConnection
  private let id: String
  private let files: RecordingFiles?
  private let deletes: Bool
  private let format: ResultFormat

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    id = arguments.operand
    files = try arguments.value(.recordedOutput).map {
      try RecordingFiles($0, mayReplace: arguments.has(.overwrite))
    }
    deletes = arguments.has(Self.deletes)
    format = ResultFormat(arguments)
  }

  /// The remedy for a recording without a file.
  private func remedy(for recording: RecordingStatus) -> String {
    let stop = farm.command("stop", recording.id)
    return switch recording.state {
    case .preparing: "wait until the source sends something"
    case .recording: "stop the recording with `\(stop)`, then save the file"
    case .finishing: "try again in a few seconds, when the file is written"
    case .failed where recording.byteCount > 0: "create the file with `\(stop)`"
    case .finished, .failed: "check what the source sends, then record it again"
    }
  }

  func run(on console: Console) async throws {
    let recording = try await farm.recording(matching: id)
    var paths: [String] = []
    if let files {
      guard !recording.outputs.isEmpty else {
        throw CommandFailure(
          .failed, "there is no file to save", on: recording.id,
          remedy: remedy(for: recording))
      }
      let display = ProgressDisplay(on: console, isQuiet: format == .none)
      paths = try await Interruption.guarding {
        try await files.fetch(recording, from: farm, display: display)
      }
      display.clear()
    }
    if deletes { try await farm.delete(recording: recording.id) }
    switch format {
    case .none: break
    case .json: try console.print(json: recording)
    case .text:
      let end = deletes ? ", deleted" : ""
      try console.print(
        prose: "\(recording.name) (\(recording.id)): \(recording.state.rawValue), "
          + "\(recording.lengthText), \(ByteCount(recording.byteCount))\(end)")
      for track in recording.parts.last?.tracks ?? [] {
        try console.print(prose: "\(track.kind.rawValue): \(track.summary)")
      }
      for line in recording.lossLines { try console.print(prose: line) }
      if let failure = recording.failure { try console.print(prose: failure.message) }
      for path in paths { try console.print(prose: "saved \(path)") }
    }
  }
}
