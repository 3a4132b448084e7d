import Arguments
import FarmAPI

/// `sheaf recordings`: lists the coordinator's recordings.
struct RecordingsCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "recordings", summary: "List a coordinator's recordings",
    options: FarmConnection.options + [Flag.json.declaration],
    examples: [Example("sheaf recordings", "List the latest recordings, newest first")])

  private let farm: FarmConnection
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    printsJSON = arguments.has(.json)
  }

  func run(on console: Console) async throws {
    let recordings = try await farm.recordings()
    if printsJSON { return try console.print(json: recordings) }
    var table = Table(
      Table.Column("ID", importance: 9), Table.Column("STATE", importance: 8),
      Table.Column("LENGTH", importance: 6), Table.Column("SIZE", importance: 4),
      Table.Column("SOURCE", importance: 3, shortest: 10),
      Table.Column("NAME", importance: 7, shortest: 8))
    for recording in recordings {
      table.add(
        recording.id, recording.state.rawValue, recording.lengthText,
        "\(ByteCount(recording.byteCount))", "\(recording.source)", recording.name)
    }
    try console.print(table)
  }
}
