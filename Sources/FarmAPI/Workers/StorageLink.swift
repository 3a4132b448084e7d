import Crypto

/// A presigned request with which a worker reads or writes one object of the farm's object store. It is valid for up to
/// an hour.
public struct StorageLink: Hashable, Codable, Sendable {
  /// The URL to request.
  public var url: String
  /// The header fields that the request must have.
  public var headers: [String: String]

  /// Creates a link.
  public init(url: String, headers: [String: String]) {
    self.url = url
    self.headers = headers
  }
}

/// The body of `POST /leases/{token}/link`: a chunk that a worker wants to upload to the object store.
public struct StorageDelivery: Hashable, Codable, Sendable {
  /// A name that the worker chose at random, as ``ChunkFolder/isFileName(_:)`` requires.
  public var name: String
  /// The length of the chunk in bytes.
  public var byteCount: Int64
  /// The SHA-256 of the chunk.
  public var sha256: Digest

  /// Creates a request.
  public init(name: String, byteCount: Int64, sha256: Digest) {
    self.name = name
    self.byteCount = byteCount
    self.sha256 = sha256
  }
}
