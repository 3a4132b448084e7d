/// The file with the records of the tokens, in the data directory.
package typealias TokenFile = RecordFile<TokenRecord>

extension TokenFile {
  /// The file in the data directory at `data`.
  package init(data: String) {
    self.init(
      path: "\(data)/tokens.json", of: "the tokens",
      remedy: "restore it from a backup, or remove it and create new tokens")
  }
}
