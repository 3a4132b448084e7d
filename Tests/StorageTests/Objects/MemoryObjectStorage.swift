import Crypto
import Foundation
import Support
import Synchronization
import sheaf_coordinator

/// Objects in memory, as another storage than a data directory could keep them. Local files of them are in a folder of
/// their own.
final class MemoryObjectStorage: ObjectStorage {
  private struct Stored {
    var bytes: Data
    var date = Date()
    let copy: Int
    var writes = 0

    var version: ObjectVersion { ObjectVersion(copy: "\(copy)", state: "\(writes)") }
  }

  private struct State {
    var objects: [StoredObject: Stored] = [:]
    var setAside: [StoredObject] = []
    /// The number of objects that were kept so far.
    var count = 0
  }

  private let state = Mutex(State())
  private let afterListing = Mutex<(@Sendable (ObjectKind) -> Void)?>(nil)
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// The objects of a kind.
  func objects(_ kind: ObjectKind) -> Set<StoredObject> {
    state.withLock { Set($0.objects.keys.filter { $0.kind == kind }) }
  }

  /// Changes the bytes of an object, as a defect would.
  func damage(_ object: StoredObject) {
    state.withLock { state in
      guard let last = state.objects[object]?.bytes.indices.last else { return }
      state.objects[object]?.bytes[last] ^= 1
      state.objects[object]?.writes += 1
    }
  }

  /// Calls `body` with a kind after all objects of the kind are listed.
  func observeLists(_ body: @escaping @Sendable (ObjectKind) -> Void) {
    afterListing.withLock { $0 = body }
  }

  /// Makes all objects look as if they were last used some time ago.
  func age(by seconds: TimeInterval) {
    state.withLock { state in
      for object in state.objects.keys { state.objects[object]?.date -= seconds }
    }
  }

  private func stored(_ object: StoredObject) -> Stored? { state.withLock { $0.objects[object] } }

  func facts(of object: StoredObject) -> ObjectFacts? {
    stored(object).map {
      ObjectFacts(byteCount: Int64($0.bytes.count), date: $0.date, version: $0.version)
    }
  }

  func keep(
    fileAt path: String, as object: StoredObject, isDurable: Bool, turn: ObjectTurn
  ) throws(StorageError) {
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw StorageError("cannot read", path, ENOENT)
    }
    try turn { [self] () throws(StorageError) in
      state.withLock { state in
        state.count += 1
        state.objects[object] = Stored(bytes: bytes, copy: state.count)
      }
      unlink(path)
    }
  }

  func localPath(of object: StoredObject) throws(StorageError) -> String? {
    guard let stored = stored(object) else { return nil }
    let name = object.key.replacing("/", with: "-")
    let path = folder.path("\(stored.copy)-\(stored.writes)-\(name)")
    do { try stored.bytes.write(to: URL(filePath: path), options: .atomic) } catch {
      throw StorageError("cannot write", path, EIO)
    }
    return path
  }

  func lend(_ object: StoredObject, at path: String) throws -> Bool {
    guard let stored = stored(object) else { return false }
    try stored.bytes.write(to: URL(filePath: path))
    return true
  }

  func reading(of object: StoredObject, fromDisk: Bool) throws(StorageError) -> ObjectReading? {
    guard let stored = stored(object), let path = try localPath(of: object) else { return nil }
    return try ObjectReading(fileAt: path, stored.version)
  }

  func setAside(
    _ object: StoredObject, _ version: ObjectVersion, _ digest: Digest, because reason: String
  ) -> Bool {
    state.withLock { state in
      guard state.objects[object]?.version.copy == version.copy else { return false }
      state.objects[object] = nil
      state.setAside.append(object)
      return true
    }
  }

  func hasSetAside(_ kind: ObjectKind, _ digest: Digest) -> Bool {
    state.withLock { $0.setAside.contains(StoredObject(kind, digest)) }
  }

  var setAsideCount: Int { state.withLock { $0.setAside.count } }

  func touch(_ object: StoredObject) -> (before: ObjectVersion, after: ObjectVersion)? {
    state.withLock { state in
      guard let version = state.objects[object]?.version else { return nil }
      state.objects[object]?.date = Date()
      return (version, version)
    }
  }

  func remove(_ object: StoredObject) -> Bool {
    state.withLock { $0.objects.removeValue(forKey: object) != nil }
  }

  func rename(_ object: StoredObject, to other: StoredObject) -> Bool {
    state.withLock { state in
      guard let stored = state.objects.removeValue(forKey: object) else { return false }
      state.objects[other] = stored
      return true
    }
  }

  func objects(of kind: ObjectKind, in folder: String) -> [StoredObject] {
    objects(kind).filter { $0.name.hasPrefix("\(folder)/") }
  }

  func forEach(of kind: ObjectKind, _ body: (StoredEntry) -> Void) {
    let objects = state.withLock { $0.objects }
    for (object, stored) in objects where object.kind == kind {
      let count = Int64(stored.bytes.count)
      body(
        StoredEntry(object: object, byteCount: count, freedByteCount: count, date: stored.date))
    }
    afterListing.withLock(\.self)?(kind)
  }
}
