import FarmAPI
import Foundation

/// `sheaf-coordinator token`: who may use a coordinator. A running one notices at once.
enum TokenCommand {
  static let usage = """
    usage: sheaf-coordinator token create --data DIR --role ROLE --name NAME
           sheaf-coordinator token list --data DIR
           sheaf-coordinator token revoke --data DIR ID|NAME

    Makes, lists and revokes the tokens of the coordinator that has the data directory DIR. It may run meanwhile.

    A role is submitter (submits jobs, sees and cancels its own), worker (renders), observer (sees everything,
    changes nothing) or admin (does everything but render). Jobs and uploads belong to the name of a submitter's token.

    `revoke` also makes the chunks unusable that were delivered with a worker's token, and prints the finished jobs
    that contain some: see `sheaf-coordinator forget --help`.

    `create` prints the token, once: it is not kept, only its hash is. Give it to programs in a file
    (--token-file) or as SHEAF_TOKEN.

    example: sheaf-coordinator token create --data /var/lib/sheaf --role worker --name rack-1 > worker.token
    """

  /// Does what the arguments after `token` ask for, and returns the exit code.
  static func run(_ arguments: [String]) -> Int32 {
    do {
      try perform(arguments)
      return 0
    } catch {
      StandardStream.error.write(line: "sheaf-coordinator: \(error)")
      return error is UsageError ? 2 : 1
    }
  }

  private static func perform(_ arguments: [String]) throws {
    if arguments.contains("--help") || arguments.contains("-h") { return print(usage) }
    var operands: [String] = []
    var values: [String: String] = [:]
    var rest = arguments.dropFirst()
    while let argument = rest.popFirst() {
      if ["--data", "--role", "--name"].contains(argument) {
        guard let value = rest.popFirst(), !value.isEmpty else {
          throw UsageError("\(argument) needs a value")
        }
        values[argument] = value
      } else if argument.hasPrefix("-") {
        throw UsageError("'\(argument)' is not an argument of token: see token --help")
      } else {
        operands.append(argument)
      }
    }
    guard let action = arguments.first, ["create", "list", "revoke"].contains(action) else {
      throw UsageError("say what to do: write token create, list or revoke, or --help")
    }
    guard let data = values["--data"] else {
      throw UsageError("--data is missing: name the coordinator's data directory")
    }
    guard operands.count == (action == "revoke" ? 1 : 0) else {
      throw UsageError(
        action == "revoke" ? "name one token to revoke: its id, or its name" : "see token --help")
    }
    let file = TokenFile(data: data)
    switch action {
    case "create": try create(values, in: file)
    case "list": try list(file)
    default: try revoke(operands[0], in: file, of: data)
    }
  }

  private static func create(_ values: [String: String], in file: TokenFile) throws {
    guard let role = values["--role"].flatMap(Role.init) else {
      let roles = Role.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("--role must be one of \(roles)")
    }
    guard let name = values["--name"], TokenRecord.isValid(name: name) else {
      throw UsageError("--name must be 1 to 64 letters, digits, dots, dashes and underscores")
    }
    let (token, record) = TokenRecord.make(role: role, name: name, at: Date())
    try file.update { $0.append(record) }
    StandardStream.error.write(
      "token \(record.id): \(role.rawValue) \(name): it is shown this once\n")
    print(token)
  }

  private static func list(_ file: TokenFile) throws {
    for record in try file.records() {
      let state = record.revokedAt.map { "revoked \($0.formatted(.iso8601))" } ?? "in force"
      let made = "made \(record.createdAt.formatted(.iso8601))"
      let columns = [record.id, record.role.rawValue, record.name, made, state]
      // A file that was edited by hand may contain any name.
      print(columns.map { PrintableText($0).description }.joined(separator: "\t"))
    }
  }

  private static func revoke(_ subject: String, in file: TokenFile, of data: String) throws {
    let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
    let revoked = try file.update { records in
      let byID = records.contains { $0.id == subject }
      var revoked: [TokenRecord] = []
      for index in records.indices
      where records[index].isActive
        && (byID ? records[index].id == subject : records[index].name == subject)
      {
        records[index].revokedAt = now
        revoked.append(records[index])
      }
      return revoked
    }
    guard !revoked.isEmpty else {
      throw StorageError(
        .unreadable, "there is no token '\(subject)' in force: see token list")
    }
    StandardStream.error.write("revoked \(revoked.count)\n")
    let workers = revoked.filter { $0.role == .worker }
    guard !workers.isEmpty, AssetStore.size(DataDirectory.ledger(in: data)) != nil else { return }
    let ledger = try Ledger(reading: data)
    for token in workers {
      ForgetCommand.report(try ledger.chunks(of: ChunkSelection(token: token.id)))
    }
  }
}
