import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import ProjectFormat
import Recording
import Scheduling
import Threads
import Timeline

/// The project and the assets of a job.
struct JobInputs: Sendable {
  let submission: SubmissionFacts
  let id: JobID
  let submitter: String?
  let limits: PlanningLimits
  let shop: Workshop

  init(
    _ submission: SubmissionFacts, of id: JobID, for submitter: String?, limits: PlanningLimits,
    shop: Workshop
  ) {
    self.submission = submission
    self.id = id
    self.submitter = submitter
    self.limits = limits
    self.shop = shop
  }

  /// Decodes the submission.
  init(_ work: JobWork, of id: JobID, shop: Workshop) async throws {
    let stored = work.submission
    submission = try await LongCoding.run(byteCount: stored.assets.count) { try stored.facts() }
    self.id = id
    submitter = work.submitter
    limits = work.limits
    self.shop = shop
  }

  /// Probes the assets, plans the project in a child process, and freezes the plan.
  ///
  /// - Parameters:
  ///   - directory: an existing folder for the output of media processes.
  ///   - missing: the assets that could not be fetched or hashed.
  ///   - recordings: the recordings that the project follows. While one of them continues, the plan has only the
  ///     segments that can be rendered now. A plan of such a project replaces the one before.
  func plan(
    in directory: String, without missing: MissingAssets, following recordings: [FollowedRecording]
  ) async throws -> PlanFacts {
    let absent = try await absent(missing, following: recordings)
    do {
      return try await plan(in: directory, absent, following: recordings)
    } catch let error as JobError where error.failure.code == .damagedIndex {
      try await dropIndexes(because: error, following: recordings)
      return try await plan(in: directory, absent, following: recordings)
    }
  }

  /// Drops the media indexes of the project's assets, so that they are made again. They were damaged on disk, or another
  /// version wrote them with this version's number.
  func dropIndexes(
    because error: JobError, following recordings: [FollowedRecording] = []
  ) async throws {
    shop.log.error("\(error): rebuilding the media indexes of its assets", .job(id))
    let digests =
      submission.assets.compactMap(\.reference?.digest)
      + recordings.flatMap { $0.excerpts.map(\.sha256) }
    try await shop.threads.run { [indexes = shop.indexes] in digests.forEach(indexes.remove) }
  }

  private func plan(
    in directory: String, _ absent: [String: JobFailure], following recordings: [FollowedRecording]
  ) async throws -> PlanFacts {
    let project = try await shop.threads.run { [documents = shop.documents, submission] in
      try documents.localPath(of: .project(submission.project))
    }
    guard let project else { throw JobError.damagedProject }
    let (request, unreadable) = try await planningRequest(
      in: directory, project, absent, following: recordings)
    do {
      return try await plan(request, excerptCount: recordings.excerptCount)
    } catch let error as ProjectError {
      var failure = JobFailure(error)
      // An asset that cannot be read has a more specific failure code.
      if let asset = unreadable.min(by: { $0.key < $1.key })?.value { failure.code = asset.code }
      throw JobError(failure)
    }
  }

  /// Probes the assets, and returns the request to plan the project with them.
  ///
  /// - Parameters:
  ///   - directory: an existing folder for the output of media processes.
  ///   - project: the file of the project's text.
  ///   - absent: the assets that cannot be used, by name.
  ///   - recordings: the recordings that the project follows.
  /// - Returns: also the assets that cannot be used or read.
  func planningRequest(
    in directory: String, _ project: String, _ absent: [String: JobFailure],
    following recordings: [FollowedRecording] = []
  ) async throws -> (request: PlanningRequest, unreadable: [String: JobFailure]) {
    let here = submission.assets.compactMap { asset -> HereAsset? in
      guard absent[asset.name] == nil, let reference = asset.reference else { return nil }
      return HereAsset(asset: asset, reference: reference)
    }
    let excerpts = recordings.flatMap { recording in
      recording.excerpts.map { HereAsset(excerpt: $0, of: recording) }
    }
    let (indexes, failures) = try await indexes(
      of: here.filter(\.asset.isPlayed) + excerpts, in: directory)
    let unreadable = failures.merging(absent) { _, absence in absence }
    var sources: [PlanningRequest.Source] = []
    for found in here {
      sources.append(
        PlanningRequest.Source(
          name: found.asset.name, shown: found.asset.shown, reference: found.reference,
          index: indexes[found.asset.name],
          image: found.asset.isShown
            ? try await file(of: found.reference, named: found.asset.shown) : nil))
    }
    let (output, frozen) = ("\(directory)/plan", "\(directory)/frozen")
    try await shop.threads.run {
      try Self.makeEmpty(output)
      try Self.makeEmpty(frozen)
    }
    var request = PlanningRequest(
      project: project, digest: submission.project,
      sources: sources,
      unreadable: unreadable.mapValues(\.message), absent: Array(absent.keys), directory: output,
      frozen: frozen, limits: limits)
    request.followed = try followed(recordings, indexes, failures)
    request.hasAssetsOnDisk = shop.chunks.isOnDisk
    return (request, unreadable)
  }

  /// Plans the project in a child process, and freezes the plan. The ledger counts the attempt from the start of the
  /// process to its end, so an attempt that crashes the coordinator stays counted. `RunTries` handles all other
  /// failures.
  private func plan(_ request: PlanningRequest, excerptCount: Int?) async throws -> PlanFacts {
    do {
      var facts = try await shop.tools.plan(request, for: submitter) { [farm = shop.farm, id] in
        try await farm.countPlanning(of: id)
      }
      facts.excerptCount = excerptCount
      try referToInterimSources(of: &facts, request)
      try referToCopiedAssets(of: &facts)
      // The first frame may not be recorded yet.
      if excerptCount != nil, facts.segmentCount == 0 {
        await shop.farm.uncountPlanning(of: id)
        return facts
      }
      let timeline = try await shop.threads.run {
        JobTimeline.read(from: "\(request.directory)/\(ProjectPlanning.timelineName)")
      }
      if timeline == nil, excerptCount == nil {
        shop.log.error("planning made no timeline", .job(id))
      }
      try await shop.farm.note(timeline: timeline, of: id)
      try await keep(
        facts, from: request.frozen, picturesFrom: request.directory,
        excerpts: request.followed.flatMap { $0.excerpts.map(\.reference) })
      return facts
    } catch {
      await shop.farm.uncountPlanning(of: id)
      throw error
    }
  }

  /// Stores a frozen plan and the pictures of its layers. Excerpts of recordings are stored already.
  ///
  /// - Parameters:
  ///   - output: the directory of the frozen plan.
  ///   - pictures: the directory of the pictures; `nil` if they are in the store already.
  ///   - excerpts: the excerpts of recordings, which are in the store.
  func keep(
    _ facts: PlanFacts, from output: String, picturesFrom pictures: String?,
    excerpts: [AssetReference] = []
  ) async throws {
    var drawn: [AssetReference] = []
    let stored = Set(excerpts)
    let made = facts.pictures.filter { !stored.contains($0) }
    if let pictures {
      drawn = try await measured(made, in: pictures) + facts.pictures.filter(stored.contains)
      try await shop.farm.assureQuota(forPictures: drawn, of: id)
    }
    let table = try await BlockingThread.run(named: "plan") {
      [files = shop.files, documents = shop.documents] in
      if let pictures {
        for picture in made {
          try files.keep("\(pictures)/\(picture.digest)", as: picture.digest)
        }
      }
      try documents.keep(
        "\(output)/\(PlanWriter.planName)", as: .plan(facts.file))
      return try SegmentTable(
        "\(output)/\(PlanWriter.tableName)", assets: "\(output)/\(PlanWriter.assetsName)")
    }
    try await shop.farm.own(pictures: drawn, of: id)
    try await shop.farm.freeze(facts, table, of: id)
  }

  /// The pictures with the actual sizes of their files, because a media process can state any size.
  private func measured(
    _ pictures: [AssetReference], in directory: String
  ) async throws -> [AssetReference] {
    try await shop.threads.run {
      pictures.map { picture in
        let size = FileFacts.byteCount(at: "\(directory)/\(picture.digest)")
        return AssetReference(digest: picture.digest, byteCount: size ?? 0)
      }
    }
  }

  static func makeEmpty(_ directory: String) throws {
    try? FileManager.default.removeItem(atPath: directory)
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
  }

  /// Returns the next assets that have to be fetched or hashed before the project is planned. The list is short enough
  /// for every waiting job to hold one in memory.
  ///
  /// - Parameters:
  ///   - start: the index of the first asset to look at.
  ///   - missing: the assets that were tried and that failed.
  func unready(from start: Int, besides missing: MissingAssets) async throws -> [UnreadyAsset] {
    let (assets, files) = (submission.assets, shop.files)
    return try await files.listReading.run(for: submitter) {
      try await BlockingThread.run(named: "assets") { isCancelled in
        var found: [UnreadyAsset] = []
        // A project may name one URL several times.
        var places = Set(missing.failures.keys)
        var byteCount = 0
        for (index, asset) in assets.enumerated().dropFirst(start) {
          guard !isCancelled() else { throw CancellationError() }
          guard !files.isReady(asset), places.insert(asset.place).inserted else { continue }
          byteCount += asset.name.utf8.count + asset.place.utf8.count + asset.shown.utf8.count
          guard found.isEmpty || found.count < Self.partCount && byteCount <= Self.partSize else {
            break
          }
          found.append(UnreadyAsset(index: index, asset: asset))
        }
        return found
      }
    }
  }

  /// The maximum number of assets in a list.
  private static let partCount = 64
  /// The size limit in bytes for the names in a list of more than one asset.
  private static let partSize = 16 << 10

  /// The failures of missing assets by name.
  private func absent(
    _ missing: MissingAssets, following recordings: [FollowedRecording]
  ) async throws -> [String: JobFailure] {
    let growing = recordings.growingPlaces
    var absent: [String: JobFailure] = [:]
    for (index, asset) in submission.assets.enumerated() where !growing.contains(asset.place) {
      do {
        let isUnserved = index >= missing.end
        let isReady: Bool
        if isUnserved {
          isReady = try await shop.threads.run { [files = shop.files] in files.isReady(asset) }
        } else {
          isReady = true
        }
        if let failure = missing.failure(of: asset, at: index, isReady: isReady) {
          absent[asset.name] = failure
          continue
        }
        guard let reference = asset.reference else {
          throw JobError(
            .missingAsset,
            "\(asset.shown): the submission does not state its digest")
        }
        try await checkShared(reference, named: asset.shown)
      } catch let error as JobError where JobError.ofAssets.contains(error.failure.code) {
        absent[asset.name] = error.failure
      }
    }
    return absent
  }

  /// Returns the files of the media indexes by asset name, and the failures of assets that cannot be indexed. Builds
  /// missing indexes.
  private func indexes(
    of assets: [HereAsset], in directory: String
  ) async throws -> (indexes: [String: String], unreadable: [String: JobFailure]) {
    let cached = try await shop.threads.run { [indexes = shop.indexes] in
      assets.map { indexes.localPath(of: $0.reference.digest) }
    }
    let output = "\(directory)/indexes"
    try await shop.threads.run { try Self.makeEmpty(output) }
    var found: [String: String] = [:]
    var missing: [Digest: (request: ProbeRequest, names: [String])] = [:]
    for (here, index) in zip(assets, cached) {
      // A file under a media root may have changed since its index was built.
      if index == nil || here.reference.path != nil {
        let file = try await file(of: here.reference, named: here.asset.shown)
        var request = ProbeRequest(file: file, name: here.asset.shown)
        request.limits = limits
        if index == nil {
          missing[here.reference.digest, default: (request, [])].names.append(here.asset.name)
        }
      }
      if let index { found[here.asset.name] = index }
    }
    let files = missing.sorted { $0.value.request.name < $1.value.request.name }
    var failures: [String: JobFailure] = [:]
    let errors = try await shop.tools.index(
      files.map(\.value.request), in: output, for: submitter
    ) { [shop] place, path in
      try await shop.threads.run { try shop.indexes.keep(path, of: files[place].key) }
    }
    for (file, error) in zip(files, errors) {
      if let error {
        // The file is not to blame, so the run is tried again.
        if MediaChildren.isPassing(error) { throw error }
        for name in file.value.names { failures[name] = error.failure }
      } else {
        let index = try await shop.threads.run { [indexes = shop.indexes] in
          try indexes.localPath(ofNew: file.key)
        }
        // Another job may have dropped it as damaged.
        guard let index else {
          throw JobError(.damagedIndex, "a media index was removed while it was being used")
        }
        for name in file.value.names { found[name] = index }
      }
    }
    return (found, failures)
  }

  /// Checks that a file under a media root has the digest that the submission states, even if an asset with this digest
  /// is known. Otherwise submitters could get another submitter's asset by stating its digest.
  func checkShared(_ reference: AssetReference, named name: String) async throws {
    guard reference.path != nil else { return }
    let file = try await file(of: reference, named: name)
    try await shop.farm.note(
      SharedAsset(digest: reference.digest, path: file.path, byteCount: reference.byteCount))
  }
}
