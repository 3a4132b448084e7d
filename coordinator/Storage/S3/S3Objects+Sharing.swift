import Crypto
import FarmAPI
import Foundation
import S3

/// Direct access to the bucket by workers, and the removal of what they and others left unfinished.
extension S3Objects {
  /// The number of seconds for which a link can be used.
  private static let linkSeconds = 3600
  /// The beginning of the keys of chunks that workers uploaded.
  private static let deliveries = "delivered/"
  /// The age in seconds at which what nobody completed is removed.
  private static let patience: TimeInterval = 86_400

  func link(to object: StoredObject) throws(StorageError) -> StorageLink {
    let (url, headers) = try StorageError.converting { () throws(S3Error) in
      try client.link(toGet: object.key, lasting: Self.linkSeconds)
    }
    return StorageLink(url: url, headers: headers)
  }

  func link(
    toDeliver name: String, _ digest: Digest, byteCount: Int64
  ) throws(StorageError) -> StorageLink {
    let (url, headers) = try StorageError.converting { () throws(S3Error) in
      try client.link(
        toPut: Self.deliveries + name, digest, byteCount: byteCount, lasting: Self.linkSeconds)
    }
    return StorageLink(url: url, headers: headers)
  }

  func keep(
    fileAt path: String, as object: StoredObject, noting note: String
  ) throws(StorageError) {
    try keep(fileAt: path, as: object, note: note) { appear throws(StorageError) in try appear() }
  }

  func note(of object: StoredObject) throws(StorageError) -> String? {
    try StorageError.converting { () throws(S3Error) in try client.head(object.key)?.note }
  }

  func delivery(_ name: String) throws(StorageError) -> (any DeliveredChunkBytes)? {
    let key = Self.deliveries + name
    let head = try StorageError.converting { () throws(S3Error) in try client.head(key) }
    return head.map { StoredDelivery(key: key, byteCount: $0.byteCount, storage: self) }
  }

  /// Removes chunks that workers uploaded and did not deliver, uploads that were interrupted, and old damaged objects.
  ///
  /// - Parameter age: the age in seconds at which damaged objects are removed.
  func sweep(at now: Date, keepingDamaged age: TimeInterval) throws(StorageError) {
    let limit = now - Self.patience
    try StorageError.converting { () throws(S3Error) in
      var old: [String] = []
      try client.forEach(beginningWith: Self.deliveries) { delivery in
        if delivery.date < limit { old.append(delivery.key) }
        return true
      }
      for key in old { try client.delete(key) }
      for upload in try client.uploads() where upload.date < limit && Self.isOurs(upload.key) {
        try client.abort(upload.id, of: upload.key)
      }
    }
    try removeQuarantined(since: now - age)
  }

  /// Whether an object with a key may be the farm's.
  private static func isOurs(_ key: String) -> Bool {
    key.hasPrefix(quarantine) || ObjectKind.allCases.contains { key.hasPrefix("\($0.rawValue)/") }
  }
}

/// A chunk that a worker uploaded to the bucket. It is removed once it is a stored chunk, and stays otherwise, so that the
/// worker can deliver it again; what nobody delivers is swept.
private final class StoredDelivery: DeliveredChunkBytes {
  private let key: String
  let byteCount: Int64
  private let storage: S3Objects

  init(key: String, byteCount: Int64, storage: S3Objects) {
    (self.key, self.byteCount, self.storage) = (key, byteCount, storage)
  }

  func matches(_ digest: Digest) throws -> Bool {
    try storage.digest(ofObjectAt: key, byteCount, expecting: digest) == digest
  }

  func keep(as object: StoredObject, _ digest: Digest, note: String?) throws(StorageError) {
    try storage.keep(key, byteCount, as: object, digest, note: note)
    discard()
  }

  func discard() { try? storage.client.delete(key, if: storage.mayRemove) }
}
