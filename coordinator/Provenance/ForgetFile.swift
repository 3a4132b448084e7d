/// The file in a data directory with the arguments of `sheaf-coordinator forget`: the chunks that must not be used any
/// more.
typealias ForgetFile = RecordFile<ChunkSelection>

extension ForgetFile {
  /// The file in the data directory at `data`.
  init(data: String) {
    self.init(
      path: "\(data)/forgotten.json", of: "the list of forgotten chunks",
      remedy: "restore it from a backup, or remove it and run forget again")
  }
}
