import Crypto
import Foundation
import S3

/// The stored files that a check reads.
protocol CheckedFiles {
  /// The length of a file in bytes; `nil` if there is none.
  func byteCount(of object: StoredObject) throws -> Int64?
  /// The files of a kind, in order.
  func all(of kind: ObjectKind) throws -> [StoredObject]
  /// Where a file is, for messages.
  func place(of object: StoredObject) -> String
  /// Calls `body` with a path at which the file can be read.
  func read<Value>(_ object: StoredObject, _ body: (String) throws -> Value) throws -> Value
}

/// The files in a data directory.
struct FilesOnDisk: CheckedFiles {
  let data: String

  func byteCount(of object: StoredObject) -> Int64? { FileFacts.byteCount(at: place(of: object)) }

  func all(of kind: ObjectKind) throws -> [StoredObject] {
    let root = "\(data)/\(kind.rawValue)"
    // The data directory of an earlier version may lack folders.
    guard FileManager.default.fileExists(atPath: root) else { return [] }
    let names = try FileManager.default.subpathsOfDirectory(atPath: root)
    return names.sorted().map { StoredObject(kind, named: $0) }
  }

  func place(of object: StoredObject) -> String { ObjectFiles.path(of: object, in: data) }

  func read<Value>(_ object: StoredObject, _ body: (String) throws -> Value) rethrows -> Value {
    try body(place(of: object))
  }
}

/// The objects in a bucket.
struct FilesInBucket: CheckedFiles {
  private let client: ObjectClient
  /// The lengths of all objects.
  private let sizes: [String: Int64]

  /// Lists the objects.
  ///
  /// - Throws: ``StorageError`` if they cannot be listed, or if the bucket is not the data directory's.
  init(_ client: ObjectClient, data: String) throws {
    self.client = client
    try StoreRecord.assure(client, of: data)
    var sizes: [String: Int64] = [:]
    try StorageError.converting { () throws(S3Error) in
      try client.forEach(beginningWith: "") { object in
        sizes[object.key] = object.byteCount
        return true
      }
    }
    self.sizes = sizes
  }

  func byteCount(of object: StoredObject) -> Int64? { sizes[object.key] }

  func all(of kind: ObjectKind) -> [StoredObject] {
    let start = "\(kind.rawValue)/"
    return sizes.keys.filter { $0.hasPrefix(start) }.sorted().map { key in
      StoredObject(kind, named: String(key.dropFirst(start.count)))
    }
  }

  func place(of object: StoredObject) -> String { "\(client.bucket)/\(object.key)" }

  func read<Value>(_ object: StoredObject, _ body: (String) throws -> Value) throws -> Value {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "sheaf-check-\(SecureRandom.token(bytes: 12))").path
    defer { unlink(path) }
    // A missing object is reported as a missing file.
    _ = try StorageError.converting { () throws(S3Error) in try client.get(object.key, to: path) }
    return try body(path)
  }
}
