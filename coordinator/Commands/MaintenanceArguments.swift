/// The arguments of the subcommands that maintain a data directory.
struct MaintenanceArguments {
  private let command: String
  private var values: [String: String] = [:]
  private var flags: Set<String> = []

  /// Reads the arguments after the name of a subcommand.
  ///
  /// - Throws: ``UsageError`` that names the argument and what to write.
  init(
    _ arguments: ArraySlice<String>, of command: String, values known: Set<String>,
    flags knownFlags: Set<String> = []
  ) throws(UsageError) {
    self.command = command
    var rest = arguments
    while let argument = rest.popFirst() {
      if knownFlags.contains(argument) {
        flags.insert(argument)
      } else if known.contains(argument) {
        guard let value = rest.popFirst(), !value.isEmpty else {
          throw UsageError("\(argument) needs a value")
        }
        values[argument] = value
      } else {
        throw UsageError("'\(argument)' is not an argument of \(command): see \(command) --help")
      }
    }
  }

  /// The value of a required argument.
  func required(_ name: String, _ what: String) throws(UsageError) -> String {
    guard let value = values[name] else { throw UsageError("\(name) is missing: name \(what)") }
    return value
  }

  /// The value of an argument, if it was given.
  subscript(_ name: String) -> String? { values[name] }

  /// Whether a flag was given.
  func contains(_ flag: String) -> Bool { flags.contains(flag) }
}
