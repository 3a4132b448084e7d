import FarmAPI
import Foundation
import Recording

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

  /// Whether the folder at `path` has every part with one of the given numbers. If the system cannot look it up, it has.
  static func has(_ parts: Set<Int>, in path: String) -> Bool {
    parts.allSatisfy {
      access("\(path)/\(RecordedPart.folderName($0))", F_OK) == 0 || errno != ENOENT
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

extension JobFailure {
  /// The failure of a recording whose parts are not in the coordinator's data directory.
  static let recordedElsewhere = JobFailure(
    code: .coordinator,
    message:
      "what was recorded is not in this data directory: if another coordinator took over, stop the "
      + "recording again when the earlier one owns the ledger, to make its files; otherwise, restore "
      + "the folder recordings")
}
