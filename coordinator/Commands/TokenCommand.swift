import FarmAPI
import Foundation

/// `sheaf-coordinator token`: manages the tokens. A running coordinator notices changes at the next request.
enum TokenCommand {
  static let usage = """
    usage: sheaf-coordinator token create --data DIR --role ROLE --name NAME
           sheaf-coordinator token list --data DIR
           sheaf-coordinator token revoke --data DIR ID|NAME

    Creates, lists and revokes the tokens of the coordinator with the data directory DIR, which may be running.

    ROLE is submitter (submits jobs, sees and cancels its own), worker (renders), observer (sees everything,
    changes nothing) or admin (does everything except render). A submitter's jobs and uploads belong to the
    name of its token.

    `create` prints the token once: only its hash is stored. Pass the token to programs in a file
    (--token-file) or as SHEAF_TOKEN.

    If `revoke` revokes a worker's token, the chunks that were delivered with it become unusable, and `revoke`
    prints the finished jobs that contain such chunks: see `sheaf-coordinator forget --help`.

    example: sheaf-coordinator token create --data /var/lib/sheaf --role worker --name rack-1 > worker.token
    """

  /// Runs the command with the arguments after `token`, and returns the exit code.
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
      throw UsageError("write token create, token list or token revoke, or see token --help")
    }
    guard let data = values["--data"] else {
      throw UsageError("--data is missing: name the coordinator's data directory")
    }
    guard operands.count == (action == "revoke" ? 1 : 0) else {
      throw UsageError(
        action == "revoke"
          ? "name one token to revoke, by its id or name"
          : "'\(operands[0])' is not an argument of token \(action): see token --help")
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
      "token \(record.id): \(role.rawValue) \(name): the token is not shown again\n")
    print(token)
  }

  private static func list(_ file: TokenFile) throws {
    for record in try file.records() {
      let state = record.revokedAt.map { "revoked \($0.formatted(.iso8601))" } ?? "active"
      let created = "created \(record.createdAt.formatted(.iso8601))"
      let columns = [record.id, record.role.rawValue, record.name, created, state]
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
        .unreadable, "there is no active token '\(subject)': see token list")
    }
    StandardStream.error.write("revoked \(revoked.count) token\(revoked.count == 1 ? "" : "s")\n")
    let workers = revoked.filter { $0.role == .worker }
    guard !workers.isEmpty, AssetStore.size(DataDirectory.ledger(in: data)) != nil else { return }
    let ledger = try Ledger(reading: data)
    for token in workers {
      ForgetCommand.report(try ledger.chunks(of: ChunkSelection(token: token.id)))
    }
  }
}
