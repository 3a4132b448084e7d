import Arguments
import FarmAPI
import Foundation
import PostgreSQL

/// `sheaf-coordinator token`: manages the tokens. A running coordinator notices changes at the next request.
enum TokenCommand {
  private static let role = Option<Role>(
    "role", choice: "ROLE",
    help: "submitter (submits jobs, manages its own), worker (renders), observer (sees "
      + "everything, changes nothing) or admin (does everything except render)")
  private static let name = Option<String>(
    "name", value: "NAME",
    expecting: "1 to 64 letters, digits, dots, dashes and underscores",
    help: "The holder's name, to which a submitter's jobs and uploads belong"
  ) { TokenRecord.isValid(name: $0) ? $0 : nil }

  private static let out = Option<String>(
    "out", value: "FILE",
    help: "Write the token to a new file with mode 0600 instead of printing it")

  private static let keepsChunks = Flag(
    "keep-chunks",
    help: "Keep the chunks of a worker's token usable, for example to replace a token that is "
      + "still trusted")

  private static let createSyntax = CommandSyntax(
    program: "sheaf-coordinator", name: "token create",
    summary: "Create a token, and print or save it",
    details: [
      "It prints the token once: only its hash is stored. Pass the token to programs in a file "
        + "(--token-file) or as SHEAF_TOKEN. A running coordinator accepts it at once.",
      "`--out` never replaces a file. Only this user can read the file.",
      "The farm's other coordinators accept it within two seconds if the coordinator of this host "
        + "runs or `--ledger` is given.",
    ],
    options: [
      Option.data.declaration.required(), role.declaration.required(),
      name.declaration.required(), out.declaration,
    ] + LedgerOption.declarations,
    examples: [
      Example(
        """
        sheaf-coordinator token create --data /var/lib/sheaf --role worker \\
          --name rack-1 --out worker.token
        """, "Let the worker rack-1 render, with --token-file worker.token")
    ])

  private static let listSyntax = CommandSyntax(
    program: "sheaf-coordinator", name: "token list", summary: "List the tokens",
    options: [Option.data.declaration.required()],
    examples: [
      Example(
        "sheaf-coordinator token list --data /var/lib/sheaf",
        "Print each token's id, role, name and state")
    ])

  private static let revokeSyntax = CommandSyntax(
    program: "sheaf-coordinator", name: "token revoke", summary: "Revoke a token",
    details: [
      "If it is a worker's token, the chunks that were delivered with it become unusable, and "
        + "the finished jobs that contain such chunks are printed: see "
        + "`sheaf-coordinator forget --help`. With `--keep-chunks`, they stay usable."
    ],
    operand: Operand("ID|NAME", help: "The id or the name of the token"),
    options: [Option.data.declaration.required()] + LedgerOption.declarations
      + [keepsChunks.declaration],
    examples: [
      Example(
        "sheaf-coordinator token revoke --data /var/lib/sheaf rack-1",
        "Revoke every token with the name rack-1"),
      Example(
        "sheaf-coordinator token revoke --data /var/lib/sheaf 7cd6ccac --keep-chunks",
        "Revoke a token that was replaced"),
    ])

  static let syntaxes = [createSyntax, listSyntax, revokeSyntax]

  /// Runs a subcommand.
  static func run(_ arguments: ParsedArguments) throws {
    let data = try arguments.required(.data)
    let file = TokenFile(data: data)
    switch arguments.syntax {
    case createSyntax:
      try create(
        role: arguments.required(role), name: arguments.required(name), in: file,
        writingTo: arguments.value(out))
      try TrustExchange.share(data, at: LedgerOption.address(arguments))
    case listSyntax: try list(file)
    default:
      try revoke(
        arguments.operand, keepingChunks: arguments.has(keepsChunks), in: file, of: data,
        ledger: LedgerOption.address(arguments))
    }
  }

  private static func create(
    role: Role, name: String, in file: TokenFile, writingTo path: String?
  ) throws {
    let (token, record) = TokenRecord.make(role: role, name: name, at: Date())
    // Created first, so that no token exists that could not be saved.
    let secret = try path.map { try SecretFile(creating: $0) }
    do {
      try secret?.write(token + "\n")
      try file.update { $0.append(record) }
    } catch {
      secret?.remove()
      throw error
    }
    let place = path.map { "saved in \(PrintableText($0))" } ?? "the token is not shown again"
    StandardStream.error.write("token \(record.id): \(role.rawValue) \(name): \(place)\n")
    if secret == nil { print(token) }
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

  private static func revoke(
    _ subject: String, keepingChunks keepsChunks: Bool, in file: TokenFile, of data: String,
    ledger address: ServerAddress?
  ) throws {
    let isOnDisk = FileFacts.byteCount(at: DataDirectory.ledger(in: data)) != nil
    // A damaged record must not keep a token valid.
    let isOnServer = (try? OwnerRecord.isOnServer(data)) ?? false
    // Once the token is revoked, this command can no longer list its chunks.
    guard keepsChunks || !isOnServer || address != nil else {
      throw StorageError.ledgerOnServer(data)
    }
    let revoked = try file.revoke(idOrName: subject, keepingChunks: keepsChunks, at: Date())
    guard !revoked.isEmpty else {
      throw StorageError(
        .unreadable,
        TokenRecord.isLikelyToken(subject)
          ? "give the token's id or name, not the token itself: see token list"
          : "there is no active token '\(subject)': see token list")
    }
    StandardStream.error.write("revoked \(revoked.count) token\(revoked.count == 1 ? "" : "s")\n")
    try TrustExchange.share(data, at: address)
    let workers = revoked.filter { $0.role == .worker }
    guard !keepsChunks, !workers.isEmpty, isOnDisk || isOnServer else { return }
    let ledger = try Ledger.reading(data, at: address)
    for token in workers {
      ForgetCommand.report(try ledger.chunks(of: ChunkSelection(token: token.id)))
    }
  }
}
