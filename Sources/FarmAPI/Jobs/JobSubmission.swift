import Crypto
import Foundation

/// The body of `POST /jobs`.
public struct JobSubmission: Hashable, Codable, Sendable {
  /// A name for people.
  public var name: String
  /// The project document, in either form, as the text of its file.
  public var project: String
  /// The digest and size of every file that the project names by a path, by that path. What it names by a URL is fetched
  /// by the coordinator.
  public var assets: [String: AssetReference]
  /// Jobs of a higher priority are rendered before all others; 0 if none is given.
  public var priority: Int?
  /// Whether every segment is rendered anew, though an earlier job has chunks that would fit; no where it is not said.
  public var rerenders: Bool?

  /// The priorities that a submission may ask for.
  public static let priorities = -100...100

  /// Creates a submission.
  public init(
    name: String, project: String, assets: [String: AssetReference], priority: Int? = nil,
    rerenders: Bool? = nil
  ) {
    self.name = name
    self.project = project
    self.assets = assets
    self.priority = priority
    self.rerenders = rerenders
  }
}

/// The content of an asset.
public struct AssetReference: Hashable, Codable, Sendable {
  /// The SHA-256 of its bytes.
  public var digest: Digest
  /// Its length in bytes.
  public var byteCount: Int64
  /// The file's absolute path, where it lies under a media root that the coordinator shares; uploaded otherwise.
  public var path: String?

  /// Creates a reference.
  public init(digest: Digest, byteCount: Int64, path: String? = nil) {
    self.digest = digest
    self.byteCount = byteCount
    self.path = path
  }
}
