/// The file of a data directory that has the tokens' records.
package typealias TokenFile = RecordFile<TokenRecord>

extension TokenFile {
  /// The file of a data directory.
  package init(data: String) {
    self.init(
      path: "\(data)/tokens.json", of: "the tokens",
      remedy: "restore it from a backup, or remove it and make new ones")
  }
}
