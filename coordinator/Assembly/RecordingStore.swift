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
    storage.place(of: StoredObject(.recording, named: id))
      ?? "\(directory.uploads)/recorder-\(id)"
  }

  /// Whether a recorder writes where the files are stored.
  var isInPlace: Bool { storage.place(of: Self.header(ofPart: 1, of: "")) != nil }

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
    StoredObject(
      .recording, named: "\(id)/\(RecordedPart.folderName(part))/\(RecordedFragment.headerName)")
  }

  private static func object(_ fragment: StoredFragment, of id: String) -> StoredObject {
    StoredObject(
      .recording,
      named: "\(id)/\(RecordedPart.folderName(fragment.part))/\(fragment.fragment.fileName)")
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

  /// Whether each part to which these fragments belong has its header. One that cannot be looked up now has.
  func hasHeaders(of fragments: [StoredFragment], of id: String) -> Bool {
    Set(fragments.map(\.part)).allSatisfy { storage.contains(Self.header(ofPart: $0, of: id)) }
  }

  /// When a fragment was stored; `nil` if it does not exist or cannot be looked up now.
  func date(_ fragment: StoredFragment, of id: String) -> Date? {
    (try? storage.facts(of: Self.object(fragment, of: id)))?.date
  }

  /// Provides fragments, and the headers of their parts, to a process that joins them.
  ///
  /// - Parameter place: the path of a new folder for them, unless they are on this host. Whoever asked removes it.
  /// - Returns: the folder with the folders of the parts.
  /// - Throws: ``StorageError`` if one is missing or cannot be brought to this host now, or an error from copying it.
  func lend(_ fragments: [StoredFragment], of id: String, at place: String) throws -> String {
    guard !isInPlace else { return folder(of: id) }
    var objects = fragments.map { Self.object($0, of: id) }
    for part in Set(fragments.map(\.part)) {
      try Self.makeFolder("\(place)/\(RecordedPart.folderName(part))")
      objects.append(Self.header(ofPart: part, of: id))
    }
    for object in objects {
      let path = "\(place)/\(object.name.dropFirst(id.count + 1))"
      // An earlier try may have left it incomplete.
      unlink(path)
      guard try storage.lend(object, at: path) else {
        throw StorageError(
          .unreadable, "\(object.key) is missing in the object store: restore it from a backup")
      }
    }
    return place
  }

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

  /// Takes back that a recording is about to be deleted.
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
  /// Provides fragments to a process that joins them (``RecordingStore/lend(_:of:at:)``).
  func lend(
    _ fragments: [StoredFragment], ofRecording id: String, at place: String
  ) async throws -> String {
    // Bringing hours of footage to this host takes long.
    try await BlockingThread.run(named: "fragments") { [recordings] in
      try recordings.lend(fragments, of: id, at: place)
    }
  }
}
