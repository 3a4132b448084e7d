import Crypto
import Foundation

/// Keeps a coordinator's files in its data directory.
struct ObjectFiles: ObjectStorage {
  private let directory: DataDirectory
  private let quarantine: Quarantine

  init(_ directory: DataDirectory, quarantine: Quarantine) {
    self.directory = directory
    self.quarantine = quarantine
  }

  /// The path of an object in the data directory at `data`, whether or not it exists.
  static func path(of object: StoredObject, in data: String) -> String { "\(data)/\(object.key)" }

  private func path(of object: StoredObject) -> String {
    Self.path(of: object, in: directory.path)
  }

  func facts(of object: StoredObject) throws(StorageError) -> ObjectFacts? {
    let path = path(of: object)
    var information = stat()
    guard stat(path, &information) == 0 else {
      guard FileReadError.isAbsence(errno) else {
        throw PacedReading.cannotRead(path, errno)
      }
      return nil
    }
    guard information.st_mode & S_IFMT == S_IFREG else { return nil }
    return ObjectFacts(
      byteCount: Int64(information.st_size), date: FileFacts.date(information),
      version: FileIdentity(information).version)
  }

  func keep(
    fileAt path: String, as object: StoredObject, isDurable: Bool, turn: ObjectTurn
  ) throws(StorageError) {
    if isDurable { try StagedFile.bringToDisk(path) }
    try StagedFile.publish(path, as: self.path(of: object), isDurable: isDurable) {
      path, final throws(StorageError) in
      try turn { () throws(StorageError) in try StagedFile.rename(path, to: final) }
    }
  }

  func localPath(of object: StoredObject) throws(StorageError) -> String? {
    try facts(of: object) == nil ? nil : path(of: object)
  }

  func lend(_ object: StoredObject, at path: String) throws -> Bool {
    try LentFile.make(of: self.path(of: object), at: path)
  }

  func reading(of object: StoredObject, fromDisk: Bool) throws(StorageError) -> ObjectReading? {
    guard let file = try PacedReading.ifPresent(path(of: object)) else { return nil }
    if fromDisk { file.forget() }
    return ObjectReading(file, file.identity.version)
  }

  func setAside(
    _ object: StoredObject, _ version: ObjectVersion, _ digest: Digest, because reason: String
  ) -> Bool {
    let path = path(of: object)
    guard FileIdentity(path)?.version.copy == version.copy else { return false }
    return quarantine.take(path, kind: object.kind.word, digest, because: reason)
  }

  func hasSetAside(_ kind: ObjectKind, _ digest: Digest) -> Bool {
    quarantine.contains(kind.word, digest)
  }

  var setAsideCount: Int { quarantine.count }

  func touch(_ object: StoredObject) -> (before: ObjectVersion, after: ObjectVersion)? {
    let path = path(of: object)
    let before = FileIdentity(path)
    utimes(path, nil)
    guard let before, let after = FileIdentity(path), after.inode == before.inode,
      after.byteCount == before.byteCount
    else { return nil }
    return (before.version, after.version)
  }

  func remove(_ object: StoredObject) throws(StorageError) -> Bool {
    let path = path(of: object)
    guard unlink(path) == 0 else {
      guard FileReadError.isAbsence(errno) else { throw StorageError("cannot remove", path) }
      return false
    }
    // A mix has a folder of its own.
    if object.kind == .mix { rmdir(URL(fileURLWithPath: path).deletingLastPathComponent().path) }
    return true
  }

  func rename(_ object: StoredObject, to other: StoredObject) throws(StorageError) -> Bool {
    let path = path(of: object)
    guard Foundation.rename(path, self.path(of: other)) != 0 else { return true }
    guard errno == ENOENT else { throw StorageError("cannot rename", path) }
    return false
  }

  func objects(of kind: ObjectKind, in folder: String) throws(StorageError) -> [StoredObject] {
    let path = path(of: StoredObject(kind, named: folder))
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    let names: [String]
    do { names = try FileManager.default.subpathsOfDirectory(atPath: path) } catch {
      throw StorageError(.unreadable, "cannot list \(path): \(error.localizedDescription)")
    }
    return names.filter { FileFacts.byteCount(at: "\(path)/\($0)") != nil }
      .map { StoredObject(kind, named: "\(folder)/\($0)") }
  }

  func forEach(of kind: ObjectKind, _ body: (StoredEntry) -> Void) {
    let folder = "\(directory.path)/\(kind.rawValue)"
    let names = FileManager.default.enumerator(atPath: folder)
    while let name = names?.nextObject() as? String {
      var information = stat()
      guard stat("\(folder)/\(name)", &information) == 0,
        information.st_mode & S_IFMT == S_IFREG
      else { continue }
      let byteCount = Int64(information.st_size)
      body(
        StoredEntry(
          object: StoredObject(kind, named: name), byteCount: byteCount,
          freedByteCount: information.st_nlink == 1 ? byteCount : 0,
          date: FileFacts.date(information)))
    }
  }
}

extension FileIdentity {
  /// The version of the object in this file.
  fileprivate var version: ObjectVersion { ObjectVersion(copy: "\(inode)", state: state) }
}
