import Crypto
import FarmAPI
import Foundation
import S3
import Synchronization

/// Reads objects, and sets damaged ones aside.
extension S3Objects {
  /// How often an object is fetched whose bytes do not match.
  private static let fetchTries = 3
  /// The beginning of the keys of damaged objects.
  static let quarantine = "quarantine/"

  func localPath(of object: StoredObject) throws(StorageError) -> String? {
    // The copy of the last known version is good even if the store does not answer: only this coordinator replaces objects.
    if let facts = known.last(of: object), let path = copies.existing(of: object, facts) {
      return path
    }
    guard let facts = try facts(of: object) else { return nil }
    return try copies.path(of: object, facts) { path throws(StorageError) in
      try fetch(object, facts, to: path)
    }
  }

  func lend(_ object: StoredObject, at path: String) throws -> Bool {
    if let facts = known.last(of: object), let copy = copies.existing(of: object, facts),
      try LentFile.make(of: copy, at: path)
    {
      return true
    }
    guard let facts = try facts(of: object) else { return false }
    // It may be a copy of an earlier run of the coordinator.
    if let copy = copies.existing(of: object, facts), try LentFile.make(of: copy, at: path) {
      return true
    }
    let part = try copies.stage(facts.byteCount)
    defer { unlink(part) }
    guard try fetch(object, facts, to: part) else { return false }
    return try LentFile.make(of: part, at: path)
  }

  func reading(of object: StoredObject, fromDisk: Bool) throws(StorageError) -> ObjectReading? {
    guard let facts = try facts(of: object) else { return nil }
    if !fromDisk, let copy = copies.existing(of: object, facts),
      let reading = try ObjectReading(fileAt: copy, facts.version)
    {
      return reading
    }
    let part = try copies.stage(facts.byteCount)
    // The reading goes on after the name is removed.
    defer { unlink(part) }
    guard try fetch(object, facts, to: part) else { return nil }
    guard let reading = try ObjectReading(fileAt: part, facts.version) else {
      throw StorageError(
        .unavailable,
        "the downloaded copy of \(object.key) was removed before it could be read: try again")
    }
    if !fromDisk { copies.replace(object, facts.version, by: part) }
    return reading
  }

  /// Writes an object to a file. Bytes that do not match the digest that was stored with them are fetched again, because
  /// they may have been changed on the way.
  ///
  /// - Returns: whether the object exists. Its bytes may be damaged.
  private func fetch(
    _ object: StoredObject, _ facts: ObjectFacts, to path: String
  ) throws(StorageError) -> Bool {
    let stated = ObjectMark(facts.version.copy)?.digest
    for attempt in 1...Self.fetchTries {
      let exists = try StorageError.converting { () throws(S3Error) in
        try client.get(object.key, to: path)
      }
      guard exists else {
        known.forget(object)
        return false
      }
      let (digest, byteCount) = try Self.content(of: path)
      if byteCount == facts.byteCount, stated == nil || digest == stated { return true }
      log.error(
        "\(object.key) arrived damaged from the object store (try \(attempt) of \(Self.fetchTries))"
      )
      guard byteCount == facts.byteCount || attempt < Self.fetchTries else {
        throw StorageError(
          .unavailable,
          "the object store sent \(byteCount) bytes of \(object.key) instead of \(facts.byteCount)")
      }
    }
    return true
  }

  /// The SHA-256 of the bytes at a key, which are fetched again if they are not those that are expected.
  func digest(ofObjectAt key: String, _ byteCount: Int64, expecting expected: Digest)
    throws(StorageError) -> Digest
  {
    let path = try copies.stage(byteCount)
    defer { unlink(path) }
    var found = expected
    for _ in 1...Self.fetchTries {
      let exists = try StorageError.converting { () throws(S3Error) in
        try client.get(key, to: path)
      }
      guard exists else {
        throw StorageError(
          .unavailable, "the uploaded chunk \(key) is no longer in the object store")
      }
      found = try Self.content(of: path).digest
      if found == expected { break }
    }
    return found
  }

  func setAside(
    _ object: StoredObject, _ version: ObjectVersion, _ digest: Digest, because reason: String
  ) -> Bool {
    let word = object.kind.word
    do throws(StorageError) {
      guard
        let facts = try locks.withLock(
          object,
          { () throws(StorageError) in
            try currentFacts(of: object)
          }), facts.version.copy == version.copy
      else { return false }
      // Not locked: it may be large.
      let part = try copies.stage(facts.byteCount)
      defer { unlink(part) }
      guard try fetch(object, facts, to: part) else { return false }
      guard try Self.content(of: part).digest != digest else {
        // Only a copy of it was damaged.
        copies.replace(object, facts.version, by: part)
        return false
      }
      return try locks.withLock(object) { () throws(StorageError) in
        guard try currentFacts(of: object)?.version == facts.version else { return false }
        let key = "\(Self.start(of: object.kind, digest))-\(SecureRandom.token(bytes: 6))"
        try StorageError.converting { () throws(S3Error) in
          try client.copy(
            object.key, to: key, byteCount: facts.byteCount, mark: "\(ObjectMark(digest))")
        }
        try erase(object, facts.version)
        damages.add()
        log.error("\(word) \(digest): \(reason): moved to \(client.bucket)/\(key)")
        return true
      }
    } catch {
      log.error("\(word) \(digest): \(reason): cannot move it to the quarantine: \(error)")
      return false
    }
  }

  /// The beginning of the keys of damaged objects of a kind with a digest.
  private static func start(of kind: ObjectKind, _ digest: Digest) -> String {
    "\(quarantine)\(kind.word.replacing(" ", with: "-"))-\(digest)"
  }

  func hasSetAside(_ kind: ObjectKind, _ digest: Digest) -> Bool {
    var isFound = false
    try? client.forEach(beginningWith: Self.start(of: kind, digest)) { _ in
      isFound = true
      return false
    }
    return isFound
  }

  var setAsideCount: Int { damages.count }

  /// Removes damaged objects that were set aside before a date.
  func removeQuarantined(since date: Date) throws(StorageError) {
    try StorageError.converting { () throws(S3Error) in
      var old: [String] = []
      try client.forEach(beginningWith: Self.quarantine) { object in
        if object.date < date { old.append(object.key) }
        return true
      }
      for key in old { try client.delete(key) }
    }
  }
}

/// Counts objects that were set aside.
final class DamageCount: Sendable {
  private let number = Mutex(0)

  var count: Int { number.withLock(\.self) }

  func add() { number.withLock { $0 += 1 } }
}
