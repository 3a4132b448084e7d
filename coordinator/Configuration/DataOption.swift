import Arguments

extension Option<String> {
  /// The path of the data directory, which every command needs.
  static let data = Option(
    "data", value: "DIR",
    help: "The coordinator's data directory, for everything that it stores; one coordinator at a "
      + "time can use it")
}
