import Arguments
import Foundation
import PostgreSQL

/// The options that name a ledger in a PostgreSQL database.
enum LedgerOption {
  private static let url = Option<String>(
    "ledger", value: "URL",
    help: "The PostgreSQL database that has the ledger, such as postgresql://sheaf@host/farm "
      + "(default: $SHEAF_LEDGER, else SQLite in the data directory)")
  private static let requiredURL = Option<String>(
    "ledger", value: "URL",
    help: "The PostgreSQL database, such as postgresql://sheaf@host/farm (default: $SHEAF_LEDGER)")
  private static let passwordFile = Option<String>(
    "ledger-password-file", value: "FILE",
    help: "The file that contains the database's password (default: the text in "
      + "$SHEAF_LEDGER_PASSWORD)")

  /// The options of a command.
  static let declarations = [url.declaration, passwordFile.declaration]
  /// The options of a command that is about a database.
  static let requiredDeclarations = [requiredURL.declaration, passwordFile.declaration]
  /// The environment variables that replace the options.
  static let variables = [
    Definition("SHEAF_LEDGER", "The database that has the ledger, unless `--ledger` is given"),
    Definition(
      "SHEAF_LEDGER_PASSWORD",
      "The database's password, unless `--ledger-password-file` is given"),
  ]

  /// Reads the address of the database. Returns `nil` if the ledger is in the data directory.
  ///
  /// - Throws: ``UsageError``, which never contains the password.
  static func address(
    _ arguments: ParsedArguments,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(UsageError) -> ServerAddress? {
    let given = try arguments.value(url)
    let command = arguments.syntax.invocation
    let file = try arguments.value(passwordFile)
    guard let text = given ?? environment["SHEAF_LEDGER"], !text.isEmpty else {
      guard file == nil else {
        throw UsageError(
          "the option needs --ledger", on: "--ledger-password-file", command: command)
      }
      return nil
    }
    var password = environment["SHEAF_LEDGER_PASSWORD"]
    if let file {
      do throws(StorageError) {
        password = try Self.password(in: file)
      } catch {
        throw UsageError(error.message, on: "--ledger-password-file", command: command)
      }
    }
    do throws(PostgreSQLError) {
      return try ServerAddress(
        text, password: password?.isEmpty == false ? password : nil, program: "sheaf-coordinator")
    } catch {
      throw UsageError(
        error.message, on: given == nil ? "SHEAF_LEDGER" : "--ledger", command: command)
    }
  }

  /// The password in a file.
  private static func password(in file: String) throws(StorageError) -> String {
    var status = stat()
    guard stat(file, &status) == 0, let content = FileManager.default.contents(atPath: file) else {
      throw StorageError("cannot read the database's password", file)
    }
    guard status.st_mode & 0o007 == 0 else {
      throw StorageError(
        .unreadable,
        "all users of this host can read the database's password: \(file): run "
          + "`chmod o= \(file)`")
    }
    let text = String(decoding: content, as: UTF8.self)
    return text.last?.isNewline == true ? String(text.dropLast()) : text
  }

  /// The address of the database that a command needs.
  static func required(_ arguments: ParsedArguments) throws(UsageError) -> ServerAddress {
    guard let address = try address(arguments) else {
      throw UsageError(
        "missing option", on: "--ledger URL", command: arguments.syntax.invocation)
    }
    return address
  }
}
