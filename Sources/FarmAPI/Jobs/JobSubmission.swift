import Crypto
import Foundation

/// The body of `POST /jobs`.
public struct JobSubmission: Hashable, Codable, Sendable {
  /// A name for people.
  public var name: String
  /// The project document, in either form, as the text of its file.
  public var project: String
  /// The digest and size of every file that the project names by a path, by that path. The coordinator fetches assets
  /// that the project names by a URL.
  public var assets: [String: AssetReference]
  /// Jobs of a higher priority are rendered before all others; 0 if none is given.
  public var priority: Int?
  /// Whether to render every segment again even if an earlier job has a matching chunk; `nil` means no.
  public var rerenders: Bool?
  /// Whether segments are rendered in timeline order, so that playback can start earlier; `nil` means no.
  public var inOrder: Bool?
  /// The URL that gets the job's notifications, if the coordinator's operator allows it.
  public var notify: String?
  /// The pool whose workers render the job (``PoolName``); `nil` for all workers.
  public var pool: String?

  /// The priorities that a submission may ask for.
  public static let priorities = -100...100

  /// Creates a submission.
  public init(
    name: String, project: String, assets: [String: AssetReference], priority: Int? = nil,
    rerenders: Bool? = nil, inOrder: Bool? = nil, notify: String? = nil, pool: String? = nil
  ) {
    self.name = name
    self.project = project
    self.assets = assets
    self.priority = priority
    self.rerenders = rerenders
    self.inOrder = inOrder
    self.notify = notify
    self.pool = pool
  }
}

/// The content of an asset.
public struct AssetReference: Hashable, Codable, Sendable {
  /// The SHA-256 of its bytes.
  public var digest: Digest
  /// Its length in bytes.
  public var byteCount: Int64
  /// The file's absolute path, if it is under a media root that the coordinator shares; `nil` if it was uploaded.
  public var path: String?

  /// Creates a reference.
  public init(digest: Digest, byteCount: Int64, path: String? = nil) {
    self.digest = digest
    self.byteCount = byteCount
    self.path = path
  }
}
