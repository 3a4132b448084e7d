import Crypto
import FarmAPI
import Foundation
import Preparation

/// A job's submission as the ledger stores it, without its project's text.
///
/// Encoding or decoding the names of ten thousand files takes a considerable fraction of a second, so it happens
/// outside the farm's thread, which answers other calls meanwhile.
package struct StoredSubmission: Sendable {
  /// The job's display name.
  package let name: String
  package let priority: Int?
  /// The SHA-256 of the project's text.
  package let project: Digest
  /// A `JobSubmission` without a project and files.
  package let head: Data
  /// A list of `ProjectAsset`.
  package let assets: Data
  /// The concatenated digests of the uploaded files.
  package let digests: Data
  /// The assets that were fetched for the job, by URL.
  private var fetched: [String: AssetReference] = [:]

  /// Encodes a submission.
  package init(_ submission: SubmissionFacts) throws {
    name = submission.name
    priority = submission.priority
    project = submission.project
    head = try FarmCoding.encode(
      JobSubmission(
        name: submission.name, project: "", assets: [:], priority: submission.priority,
        rerenders: submission.rerenders, inOrder: submission.inOrder, notify: submission.notify,
        pool: submission.pool))
    assets = try FarmCoding.encode(submission.assets)
    let uploaded = submission.assets.compactMap(\.reference).filter { $0.path == nil }
    digests = Data(Set(uploaded.map(\.digest)).flatMap(\.bytes))
  }

  /// Creates a submission from the ledger's columns.
  package init(
    name: String, priority: Int?, project: Digest, head: Data, assets: Data,
    fetched: [String: AssetReference]
  ) {
    self.name = name
    self.priority = priority
    self.project = project
    self.head = head
    self.assets = assets
    self.fetched = fetched
    digests = Data()
  }

  /// Decodes the submission, including the assets that were fetched for the job.
  package func facts() throws -> SubmissionFacts {
    let stored = try FarmCoding.decode(JobSubmission.self, from: head)
    var submission = SubmissionFacts(
      name: stored.name, priority: stored.priority, rerenders: stored.rerenders,
      inOrder: stored.inOrder,
      notify: stored.notify, pool: stored.pool,
      assets: try FarmCoding.decode([ProjectAsset].self, from: assets), project: project)
    for index in submission.assets.indices where submission.assets[index].isRemote {
      submission.assets[index].reference = fetched[submission.assets[index].place]
    }
    return submission
  }
}
