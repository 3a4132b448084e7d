import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Scheduling
import Threads

/// Handles bytes that changed on the disk.
extension Farm {
  /// Checks the assets of a segment on the disk, after a worker got bytes that do not match their digests. If the files
  /// are sound, the bytes changed in transit.
  ///
  /// Assets are read one at a time, because a segment may have thousands and any worker can report it repeatedly.
  func inspectAssets(of segment: SegmentID) {
    guard jobs[segment.job] != nil else { return }
    let isIdle = assetsUnderInspection.isEmpty
    for asset in (try? ledger.leasedAssets(of: segment)) ?? []
    where assetsUnderInspection.insert(asset.digest).inserted {
      assetsToInspect.append(asset.reference)
    }
    guard isIdle, !assetsToInspect.isEmpty else { return }
    Task {
      while !assetsToInspect.isEmpty {
        let asset = assetsToInspect.removeFirst()
        await inspect(asset)
        assetsUnderInspection.remove(asset.digest)
      }
    }
  }

  /// Checks the assets of a job on the disk, after one of its media processes read damaged bytes. If an asset is
  /// damaged, the job has ended when this returns.
  func inspectAssets(of id: JobID) async {
    guard jobs[id] != nil else { return }
    let pictures = (try? ledger.plan(of: id))?.pictures ?? []
    for asset in Set(((try? ledger.assets(of: id)) ?? []).map(\.asset) + pictures) {
      await inspect(asset)
    }
  }

  /// Reads an entire asset, and ends the jobs that need it if it is damaged or missing. The store moves its own damaged
  /// assets to the quarantine and reports them. An asset that cannot be read now stays as it is, and is checked again
  /// if it is reported again.
  private func inspect(_ asset: AssetReference) async {
    guard (try? await inspections.enter()) != nil else { return }
    defer { inspections.leave() }
    let store = assetStore
    let problem: AssetProblem?
    do {
      problem = try await BlockingThread.run(named: "inspect") { () -> AssetProblem? in
        guard let path = asset.path else {
          guard case .missing = try store.inspect(asset.digest) else { return nil }
          return store.storage.hasSetAside(.asset, asset.digest)
            ? .damaged("it was moved to the quarantine") : .missing
        }
        // Workers get the store's copy if there is one.
        if store.contains(asset.digest) {
          _ = try store.inspect(asset.digest)
        }
        switch try PacedReading.compare(path, with: asset.digest, throughLinks: false) {
        case .sound: return nil
        case .missing: return .damaged("it is no longer under the media root")
        case .damaged(.changed): return .damaged("its bytes under the media root changed")
        // The disk may be a remote one that comes back.
        case .damaged(.unreadable(let cause)):
          throw StorageError(.unreadable, "cannot read: \(path): \(cause)")
        }
      }
    } catch {
      log.error("cannot be checked now: \(error)", .asset(asset.digest))
      return
    }
    // It may have been uploaded again meanwhile.
    guard let problem,
      asset.path != nil || !assetStore.contains(asset.digest)
    else { return }
    lose(asset.digest, because: problem)
  }

  /// Ends the jobs that still need a damaged or missing asset.
  ///
  /// - Parameter isStored: whether the store's copy is lost. Jobs that name the file under a media root do not need it.
  func lose(_ asset: Digest, because problem: AssetProblem, isStored: Bool = false) {
    for id in jobs.keys where needs(asset, id) {
      let references = ((try? ledger.assets(of: id)) ?? []).filter { $0.asset.digest == asset }
      let found = isStored ? references.filter { $0.asset.path == nil } : references
      if found.isEmpty, !references.isEmpty { continue }
      let name = found.map(\.name).min() ?? "the picture or excerpt \(asset) made during planning"
      let origin = origin(of: asset, in: id, found.map(\.asset))
      fail(
        id,
        JobFailure(
          code: problem.code,
          message: "\(name): \(origin.subject) is \(problem): \(origin.remedy)"))
    }
  }

  /// The origin of a job's asset, which decides how the job can get it again.
  private enum Origin {
    case upload, url, mediaRoot, planning

    /// The file that is damaged or missing.
    var subject: String {
      switch self {
      case .upload, .url, .planning: "the coordinator's copy"
      case .mediaRoot: "the file"
      }
    }

    var remedy: String {
      switch self {
      case .upload: "submit the project again to upload the file"
      case .url: "make sure that its URL delivers the original file, and retry the job"
      case .mediaRoot: "put the original file back under the media root, and retry the job"
      case .planning: "submit the project again to make it again"
      }
    }
  }

  /// The origin of an asset of a job.
  ///
  /// - Parameter references: the references to the asset in the job's project.
  private func origin(
    of asset: Digest, in id: JobID, _ references: [AssetReference]
  ) -> Origin {
    if references.isEmpty { return .planning }
    if references.contains(where: { $0.path != nil }) { return .mediaRoot }
    let fetched = (try? ledger.fetchedAssets(of: id)) ?? [:]
    return fetched.values.contains { $0.digest == asset } ? .url : .upload
  }

  /// Whether a job still needs an asset.
  private func needs(_ asset: Digest, _ id: JobID) -> Bool {
    guard
      (try? ledger.isLeased(asset, for: id) || ledger.names(asset, in: id)) ?? false
    else { return false }
    guard let segments = scheduler.progress(of: id)?.segments else { return true }
    if segments.pending + segments.leased > 0 { return true }
    // The file is assembled from the assets to which chunks refer.
    guard jobs[id]?.facts?.copiedAssets != nil else { return false }
    return (try? ledger.plan(of: id))?.copiedAssets?.contains { $0.asset == asset } ?? true
  }

  /// Drops a segment's chunk that is missing or damaged on the disk.
  func lose(chunkOf segment: SegmentID) throws {
    try Task.checkCancellation()
    reopen(segment)
  }

  /// Stops later jobs from reusing a damaged chunk, and has it rendered again for the jobs that need it.
  func lose(chunk: Digest) throws {
    try ledger.forget([chunk])
    try loseHeld(chunk)
    for id in jobs.keys {
      for (index, sha256) in try ledger.chunks(of: id) where sha256 == chunk {
        reopen(SegmentID(job: id, index: index))
      }
    }
  }

  /// Drops a held chunk that is damaged or missing. If its segment holds no other chunk, the audit ends and the segment is
  /// rendered again.
  func loseHeld(_ chunk: Digest) throws {
    let holds = try ledger.holds(of: chunk)
    try drop(holds)
    for hold in holds {
      counters.chunksLost += 1
      log.error(
        "dropped a chunk that was held for "
          + "an audit, because it is damaged or missing on the disk", .segment(hold.segment))
    }
  }

  /// Fails a completed job whose file is damaged or missing. A retry makes the file again.
  ///
  /// - Parameters:
  ///   - digest: the SHA-256 that the file should have had.
  ///   - reason: a phrase that completes "the finished file …".
  /// - Returns: whether the job had this file.
  @discardableResult
  func loseOutput(of id: JobID, _ digest: Digest, because reason: String) throws -> Bool {
    guard let status = try ledger.job(id)?.status, status.state == .completed,
      status.output?.sha256 == digest
    else { return false }
    let failure = JobFailure(
      code: .damagedOutput,
      message: "the finished file \(reason): retry the job to create the file again")
    log.error("\(failure.code): \(failure.message)", .job(id))
    try write([.outputLost(id, failure, at: clock.date())])
    counters.outputsLost += 1
    changed(id)
    return true
  }

  private func reopen(_ segment: SegmentID) {
    guard dispatch(.chunkForgotten(segment)).contains(.forgetChunk(segment)) else { return }
    counters.chunksLost += 1
    log.error(
      "its chunk is missing or damaged on the disk: "
        + "rendering it again", .segment(segment))
    recountReused(of: segment.job)
  }
}
