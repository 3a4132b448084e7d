import Synchronization

/// The data directories of temporary farms. Whoever starts such a farm deletes its directory, so nothing waits for the
/// files to reach the disk.
enum Durability {
  private static let waived = Mutex<Set<String>>([])

  /// Stops waiting for the files below a folder to reach the disk.
  static func waive(under folder: String) {
    waived.withLock { _ = $0.insert("\(folder)/") }
  }

  /// Whether the file or folder at a path must be on the disk before anything refers to it.
  static func isRequired(of path: String) -> Bool {
    waived.withLock { waived in !waived.contains { "\(path)/".hasPrefix($0) } }
  }
}
