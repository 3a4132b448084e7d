import FarmAPI

/// A valid project on its way to a farm.
package struct Submission: Sendable {
  private let project: ProjectFile
  private let farm: FarmConnection
  private let display: ProgressDisplay

  /// The maximum number of uploads per submission. A new one is needed if an asset is damaged in the coordinator's store
  /// before the project arrives.
  private static let uploadLimit = 3

  package init(_ project: ProjectFile, to farm: FarmConnection, display: ProgressDisplay) {
    self.project = project
    self.farm = farm
    self.display = display
  }

  /// Hashes the assets, uploads what is missing, and posts the project.
  ///
  /// - Parameters:
  ///   - sharingMedia: whether the coordinator reads the files in place, so that nothing is uploaded.
  ///   - hashed: the files that have just been hashed, by path.
  ///   - priority: the job's priority; 0 by default.
  ///   - rerenders: whether to reuse no chunks.
  ///   - inOrder: whether segments are rendered in timeline order.
  ///   - pool: the pool whose workers render it, if any.
  ///   - notify: the URL that gets the job's notifications, if any.
  ///   - key: the key that makes repeating the submission safe.
  package func submit(
    sharingMedia: Bool, hashed: [String: HashedAsset] = [:], priority: Int? = nil,
    rerenders: Bool = false, inOrder: Bool = false, notify: String? = nil, pool: String? = nil,
    under key: IdempotencyKey = .random()
  ) async throws -> JobStatus {
    display.show(.hashing)
    let assets = try await HashedAsset.hash(
      project.paths, refersToPath: sharingMedia, knowing: hashed)
    let submission = JobSubmission(
      name: project.name, project: project.text, assets: assets.mapValues(\.reference),
      priority: priority, rerenders: rerenders ? true : nil, inOrder: inOrder ? true : nil,
      notify: notify, pool: pool)
    let upload = AssetUpload(to: farm, display: display)
    var uploads = 0
    while true {
      if !sharingMedia { try await upload.upload(assets.values.sorted { $0.path < $1.path }) }
      uploads += 1
      switch try await farm.submit(submission, under: key) {
      case .accepted(let job): return job
      case .lacksAssets(let refusal):
        guard !sharingMedia, uploads < Self.uploadLimit else { throw refusal }
      }
    }
  }

  /// Follows the job to its completion.
  ///
  /// - Parameter check: called with every status; an error that it throws ends the wait.
  /// - Throws: ``CommandFailure`` if the job fails or is cancelled.
  package static func finish(
    _ job: JobStatus, at farm: FarmConnection, showing display: ProgressDisplay,
    checking check: (JobStatus) async throws -> Void = { _ in }
  ) async throws -> JobStatus {
    let finished = try await JobWatch(job.id, at: farm).finish(showing: display, check)
    if let failure = finished.commandFailure {
      display.clear()
      throw failure
    }
    return finished
  }
}
