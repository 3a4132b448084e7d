import Crypto
import FarmAPI
import Foundation
import Recording
import Threads

/// The files of recordings: headers, fragments and finished files. Calls block.
///
/// A recorder writes to a folder on this host. If files are stored elsewhere, each fragment is moved there before the
/// ledger refers to it, so that another coordinator can continue the recording.
struct RecordingStore: Sendable {
  private let storage: any ObjectStorage
  private let directory: DataDirectory

  init(in storage: any ObjectStorage, _ directory: DataDirectory) {
    self.storage = storage
    self.directory = directory
  }

  /// The folder on this host in which a recorder writes the parts of a recording.
  func folder(of id: String) -> String {
    isInPlace
      ? ObjectFiles.path(of: StoredObject(.recording, named: id), in: directory.path)
      : "\(directory.uploads)/recorder-\(id)"
  }

  /// Whether a recorder writes where the files are stored.
  var isInPlace: Bool { storage.isOnDisk }

  /// Creates the folder in which a recorder writes, unless it exists.
  func makeFolder(of id: String) throws(StorageError) { try Self.makeFolder(folder(of: id)) }

  /// Creates a folder, unless it exists.
  static func makeFolder(_ path: String) throws(StorageError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true,
        attributes: [.posixPermissions: Int(PrivateFiles.folderMode)])
    } catch {
      throw StorageError(.unwritable, "cannot create \(path): \(error.localizedDescription)")
    }
  }

  // MARK: - Fragments

  private static func header(ofPart part: Int, of id: String) -> StoredObject {
    .recorded(RecordedFragment.headerName, inPart: part, ofRecording: id)
  }

  private static func object(_ fragment: StoredFragment, of id: String) -> StoredObject {
    .recorded(fragment.fragment.fileName, inPart: fragment.part, ofRecording: id)
  }

  /// Stores a fragment that a recorder has written, and the header of its part with the first one.
  ///
  /// The ledger must have the part already: then no other coordinator uses its number.
  ///
  /// - Throws: ``StorageError``; the call can be repeated.
  func keep(_ fragment: StoredFragment, of id: String) throws(StorageError) {
    guard !isInPlace else { return }
    let header = Self.header(ofPart: fragment.part, of: id)
    let folder = "\(folder(of: id))/\(RecordedPart.folderName(fragment.part))"
    let headerFile = "\(folder)/\(RecordedFragment.headerName)"
    if FileFacts.byteCount(at: headerFile) != nil {
      try storage.keep(fileAt: headerFile, as: header)
    }
    try storage.keep(
      fileAt: "\(folder)/\(fragment.fragment.fileName)", as: Self.object(fragment, of: id))
  }

  /// Whether each part to which these fragments belong has its header. A header that cannot be looked up now counts as
  /// present.
  func hasHeaders(of fragments: [StoredFragment], of id: String) -> Bool {
    Set(fragments.map(\.part)).allSatisfy { storage.contains(Self.header(ofPart: $0, of: id)) }
  }

  /// When a fragment was stored; `nil` if it does not exist or cannot be looked up now.
  func date(_ fragment: StoredFragment, of id: String) -> Date? {
    (try? storage.facts(of: Self.object(fragment, of: id)))?.date
  }

  /// Fragments and the headers of their parts, each with its path in the folder of the recording.
  fileprivate func objects(
    of fragments: [StoredFragment], of id: String
  ) -> [(object: StoredObject, path: String)] {
    let headers = Set(fragments.map(\.part)).map { Self.header(ofPart: $0, of: id) }
    return (headers + fragments.map { Self.object($0, of: id) }).map {
      ($0, String($0.name.dropFirst(id.count + 1)))
    }
  }

  /// Provides a header or a fragment to a process.
  ///
  /// - Throws: ``StorageError`` if it is missing or cannot be brought to this host now, or an error from copying it.
  fileprivate func lend(_ object: StoredObject, at path: String) throws {
    // An earlier try may have left it incomplete.
    unlink(path)
    guard try storage.lend(object, at: path) else {
      throw StorageError(
        .unreadable,
        "\(object.key) is missing in the object store: restore it from a backup, unless the recording "
          + "was deleted")
    }
  }

  /// The number of bytes that joining fragments of a length needs on this host: the files are as large as the
  /// fragments, which are brought here first if they are stored elsewhere.
  func byteCount(toJoin byteCount: Int64) -> Int64 { isInPlace ? byteCount : 2 * byteCount }

  // MARK: - Removal

  /// The folder with an empty object for each recording that is being deleted.
  private static let deletions = ".deleted"

  private static func mark(_ id: String) -> StoredObject {
    StoredObject(.recording, named: "\(deletions)/\(id)")
  }

  /// Notes that a recording is about to be deleted, so that a crash cannot leave its files behind.
  func beginRemoval(of id: String) throws(StorageError) {
    try storage.keep(
      Data(), as: Self.mark(id),
      by: "\(directory.uploads)/deletion-\(SecureRandom.token(bytes: 12))")
  }

  /// The recordings whose deletion has begun and not ended.
  func removals() throws(StorageError) -> [String] {
    try storage.objects(of: .recording, in: Self.deletions).map {
      String($0.name.dropFirst(Self.deletions.count + 1))
    }
  }

  /// Removes the note that a recording is about to be deleted.
  func cancelRemoval(of id: String) { storage.discard(Self.mark(id)) }

  /// Removes all files of a recording, and the note that it is being deleted.
  func remove(_ id: String) throws(StorageError) {
    for object in try storage.objects(of: .recording, in: id) { _ = try storage.remove(object) }
    removeFolder(of: id)
    _ = try storage.remove(Self.mark(id))
  }

  /// Removes what a recorder left in its folder, unless that is where the files are stored.
  func removeLeftovers(of id: String) {
    if !isInPlace { removeFolder(of: id) }
  }

  private func removeFolder(of id: String) {
    try? FileManager.default.removeItem(atPath: folder(of: id))
  }
}

extension Workshop {
  /// Provides fragments, and the headers of their parts, to a process that joins them.
  ///
  /// - Parameter place: the path of a new folder for them, unless they are on this host. Whoever asked removes it.
  /// - Returns: the folder with the folders of the parts.
  /// - Throws: ``StorageError`` if one is missing, or an error from copying it. While the object store does not answer,
  ///   this waits.
  func lend(
    _ fragments: [StoredFragment], ofRecording id: String, at place: String
  ) async throws -> String {
    guard !recordings.isInPlace else { return recordings.folder(of: id) }
    for part in Set(fragments.map(\.part)) {
      try await threads.run {
        try RecordingStore.makeFolder("\(place)/\(RecordedPart.folderName(part))")
      }
    }
    let objects = recordings.objects(of: fragments, of: id)
    // Some at a time, so that a stop or an outage does not undo what was brought to this host.
    for start in stride(from: 0, to: objects.count, by: Self.lentAtOnce) {
      let some = objects[start..<min(start + Self.lentAtOnce, objects.count)]
      try await persist("read what was recorded", ["recording": id]) {
        try await BlockingThread.runUntilCancelled(named: "fragments") { [recordings] in
          for (object, path) in some { try recordings.lend(object, at: "\(place)/\(path)") }
        }
      }
    }
    return place
  }

  private static let lentAtOnce = 32

  /// The number of bytes that local copies leave free beyond what is needed, so that they are not searched each time.
  private static let headroom: Int64 = 1 << 30

  /// The error if the disk has no room for a number of bytes; `nil` if it has. Removes local copies of stored files
  /// first.
  func shortage(for byteCount: Int64 = 0) async throws -> StorageError? {
    let (missing, shortage) = try await threads.run { [space] in
      (space.missing(for: byteCount), space.shortage(for: byteCount))
    }
    guard missing > 0 else { return shortage }
    return try await threads.run(apart: true) { [space, chunks] in
      chunks.removeLocalCopies(freeing: space.missing(for: byteCount) + Self.headroom)
      return space.shortage(for: byteCount)
    }
  }

  /// Throws ``StorageError`` if the disk has no room for fragments that are joined, and for the files.
  func assureRoom(toJoin byteCount: Int64) async throws {
    if let shortage = try await shortage(for: recordings.byteCount(toJoin: byteCount)) {
      throw shortage
    }
  }
}
