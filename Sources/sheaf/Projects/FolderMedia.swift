import Foundation
import Timeline

/// The media files in a folder, in natural order. Its subfolders and hidden files are not looked at.
struct FolderMedia: Sendable {
  /// A media file.
  struct Item: Sendable {
    /// The file's name.
    var name: String
    /// The file's index.
    var index: MediaIndex
  }

  /// A file that is not used.
  struct Skipped: Encodable, Sendable {
    /// The file's name.
    var file: String
    var reason: String
  }

  /// The files with moving pictures, and the still images.
  var clips: [Item] = []
  /// The files with sound only.
  var sounds: [Item] = []
  /// The files that are not media, or cannot be used.
  var skipped: [Skipped] = []

  /// Checks that a folder exists.
  ///
  /// - Throws: ``CommandFailure``.
  static func check(_ folder: String) throws(CommandFailure) {
    var status = stat()
    guard stat(folder, &status) == 0 else {
      throw CommandFailure(
        .failed, "cannot read the folder", on: folder, remedy: String(cString: strerror(errno)))
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw CommandFailure(
        .failed, "cannot read the folder", on: folder, remedy: "name a folder with media files")
    }
  }

  /// Probes every file of a folder.
  ///
  /// - Parameter excluded: the absolute path of a file that is ignored.
  /// - Throws: ``CommandFailure`` if the folder cannot be read, or if no child process can probe files.
  static func read(_ folder: String, except excluded: String) async throws -> FolderMedia {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw CommandFailure(
        .failed, "cannot read the folder", on: folder, remedy: error.localizedDescription)
    }
    let base = URL(fileURLWithPath: folder, isDirectory: true)
    var media = FolderMedia()
    var files: [String: String] = [:]
    var status = stat()
    for name in names.filter({ !$0.hasPrefix(".") }) {
      let path = base.appendingPathComponent(name).path
      guard path != excluded, stat(path, &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFREG: files[name] = path
      case S_IFDIR: continue
      default: media.skipped.append(Skipped(file: name, reason: "it is not a regular file"))
      }
    }
    let found = try await LocalMedia(files).indexes(of: files)
    for name in files.keys {
      if let index = found.indexes[name] {
        media.add(Item(name: name, index: index))
      } else {
        media.skipped.append(
          Skipped(
            file: name,
            reason: reason(found.unreadable[name] ?? "it cannot be read", about: files[name])))
      }
    }
    media.clips.sort { NaturalOrder.precedes($0.name, $1.name) }
    media.sounds.sort { NaturalOrder.precedes($0.name, $1.name) }
    media.skipped.sort { NaturalOrder.precedes($0.file, $1.file) }
    return media
  }

  private mutating func add(_ item: Item) {
    let (video, audio) = (item.index.video, item.index.audio)
    if let first = video.first {
      if let problem = first.unreadable {
        skipped.append(Skipped(file: item.name, reason: "its video \(problem)"))
      } else {
        clips.append(item)
      }
    } else if let first = audio.first {
      if let problem = first.unreadable {
        skipped.append(Skipped(file: item.name, reason: "its sound \(problem)"))
      } else {
        sounds.append(item)
      }
    } else {
      skipped.append(Skipped(file: item.name, reason: "it has neither video nor sound"))
    }
  }

  /// The problem in a child's message, without the path of the file that it is about and without a remedy.
  private static func reason(_ message: String, about path: String?) -> String {
    let problem = path.map { message.replacing("\($0): ", with: "") } ?? message
    return problem.firstRange(of: ": ").map { String(problem[..<$0.lowerBound]) } ?? problem
  }
}
