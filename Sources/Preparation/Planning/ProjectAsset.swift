import Crypto
import FarmAPI
import Timeline

/// A file that a project names.
package struct ProjectAsset: Hashable, Codable, Sendable {
  /// The asset's name in the project.
  package var name: String
  /// Its path or URL, which identifies the file in a submission.
  package var place: String
  /// The path or the URL, for messages.
  package var shown: String
  /// Whether the place is a URL.
  package var isRemote: Bool
  /// Whether it is played. An image that only layers show is not.
  package var isPlayed: Bool
  /// Whether layers show it.
  package var isShown: Bool
  /// The digest and size of its file; `nil` as long as it has not been fetched.
  package var reference: AssetReference?

  package init(
    name: String, place: String, shown: String, isRemote: Bool, isPlayed: Bool, isShown: Bool,
    reference: AssetReference? = nil
  ) {
    self.name = name
    self.place = place
    self.shown = shown
    self.isRemote = isRemote
    self.isPlayed = isPlayed
    self.isShown = isShown
    self.reference = reference
  }

  package var url: AssetURL? { isRemote ? try? AssetURL(place) : nil }
}

/// The content of a submission, except its project's text.
package struct SubmissionFacts: Hashable, Codable, Sendable {
  /// The job's display name.
  package var name: String
  package var priority: Int?
  /// Whether every segment is rendered, without reusing chunks.
  package var rerenders: Bool?
  /// Whether segments are rendered in timeline order.
  package var inOrder: Bool?
  /// The URL that gets the job's notifications, if there is one.
  package var notify: String?
  /// The pool whose workers render the job, if it asks for one.
  package var pool: String?
  /// The files that the project names.
  package var assets: [ProjectAsset]
  /// The SHA-256 of the project's text.
  package var project: Digest

  package init(
    name: String, priority: Int?, rerenders: Bool?, inOrder: Bool? = nil, notify: String? = nil,
    pool: String? = nil, assets: [ProjectAsset], project: Digest
  ) {
    self.name = name
    self.priority = priority
    self.rerenders = rerenders
    self.inOrder = inOrder
    self.notify = notify
    self.pool = pool
    self.assets = assets
    self.project = project
  }
}
