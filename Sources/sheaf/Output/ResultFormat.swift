import Arguments

/// How a command prints its result.
enum ResultFormat: Hashable, Sendable {
  case text
  case json
  /// Not at all: the exit code and the errors are enough.
  case none

  /// Reads `--json` and `--quiet`.
  init(_ arguments: ParsedArguments) {
    self = arguments.has(.json) ? .json : arguments.has(.quiet) ? .none : .text
  }
}
