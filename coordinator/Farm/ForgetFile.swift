/// The file in a data directory that stores the arguments of `sheaf-coordinator forget`: the chunks that must no longer
/// be used.
package typealias ForgetFile = RecordFile<ChunkSelection>

extension ForgetFile {
  /// The file in the data directory at `data`.
  package init(data: String) {
    self.init(
      path: "\(data)/forgotten.json", of: "the list of forgotten chunks",
      remedy: "restore it from a backup, or remove it and run forget again")
  }
}
