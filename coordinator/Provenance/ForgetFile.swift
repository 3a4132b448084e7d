/// The file of a data directory that says which chunks must not be used any more: what `sheaf-coordinator forget` was told.
typealias ForgetFile = RecordFile<ChunkSelection>

extension ForgetFile {
  /// The file of a data directory.
  init(data: String) {
    self.init(
      path: "\(data)/forgotten.json", of: "the list of forgotten chunks",
      remedy: "restore it from a backup, or remove it and run forget again")
  }
}
