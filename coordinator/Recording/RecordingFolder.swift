import Foundation

/// The folder of a recording, in which each part has a folder of its own. Calls block.
enum RecordingFolder {
  /// Creates the folder, unless it exists.
  static func make(_ path: String) throws(StorageError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true,
        attributes: [.posixPermissions: Int(PrivateFiles.folderMode)])
    } catch {
      throw StorageError(.unwritable, "cannot create \(path): \(error.localizedDescription)")
    }
  }

  /// When a file was last added to a part of a recording; `nil` if none was.
  static func lastChange(in folder: String) -> Date? {
    let manager = FileManager.default
    return ((try? manager.contentsOfDirectory(atPath: folder)) ?? []).compactMap {
      try? manager.attributesOfItem(atPath: "\(folder)/\($0)")[.modificationDate] as? Date
    }.max()
  }
}
