import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Scheduling
import Threads
import Timeline

/// What a job is made of: its project and its assets.
struct JobInputs: Sendable {
  private(set) var submission: JobSubmission
  let shop: Workshop

  init(submission: JobSubmission, shop: Workshop) {
    self.submission = submission
    self.shop = shop
  }

  /// Fetches and probes the assets, and lays out the segments.
  mutating func plan(of id: JobID) async throws -> Plan {
    let text = submission.project
    let document = try await BlockingThread.run(named: "parse") {
      try ProjectDocument.parse([UInt8](text.utf8))
    }
    let (assets, absent) = try await assets(of: document, for: id)
    let media = document.media
    var (indexes, unreadable) = try await indexes(of: assets.filter { media[$0.name] != nil })
    unreadable.merge(absent) { _, absence in absence }
    let digests = Dictionary(uniqueKeysWithValues: assets.map { ($0.name, $0.reference.digest) })
    var check = try await BlockingThread.run(named: "check") { [indexes, unreadable] in
      ProjectCheck(
        document, indexes: indexes, unreadable: unreadable.mapValues(\.message),
        unseen: Set(absent.keys))
    }
    if let question = check.encoder { check.add(try await shop.tools.check(question)) }
    var lines = check.findings.map(\.description)
    var rasters: [LayerRaster] = []
    do {
      rasters = try await self.rasters(
        check.rasters, of: document, assets: assets, keeps: lines.isEmpty)
    } catch let error as ProjectError {
      lines += error.lines
    }
    guard let project = check.project, lines.isEmpty else {
      let code = unreadable.min { $0.key < $1.key }?.value.code
      throw JobError(code ?? JobFailure.invalidProject, lines.joined(separator: "\n"))
    }
    let plan = try await BlockingThread.run(named: "plan") { [indexes, rasters] in
      try Planner.plan(project, indexes: indexes, digests: digests, rasters: rasters)
    }
    if plan.export.isPassthrough, let question = EncoderCheck(of: plan) {
      let findings = try await shop.tools.check(question)
      guard findings.isEmpty else { throw ProjectError(findings: findings) }
    }
    return plan
  }

  /// The assets of a document, those at URLs once they are fetched, and why there are none of some names.
  private mutating func assets(
    of document: ProjectDocument, for id: JobID
  ) async throws -> (here: [NamedAsset], absent: [String: JobFailure]) {
    var here: [NamedAsset] = []
    var absent: [String: JobFailure] = [:]
    for (name, asset) in document.assets.sorted(by: { $0.key < $1.key }) {
      do {
        if let url = asset.url {
          // In a sequence its URL is its name.
          try await fetch(url, named: (try? AssetURL(name)) == nil ? name : url.shown, for: id)
        }
        guard let reference = submission.assets[asset.place] else {
          throw JobError("missing-asset", "\(asset.shown): the submission does not say its digest")
        }
        try await checkShared(reference, named: asset.shown)
        here.append(NamedAsset(name: name, path: asset.shown, reference: reference))
      } catch let error as JobError where JobError.ofAssets.contains(error.failure.code) {
        absent[name] = error.failure
      }
    }
    return (here, absent)
  }

  /// Fetches those assets of a planned job that came from URLs and are not here any more.
  mutating func fetchAgain(for id: JobID) async throws {
    for place in submission.assets.keys.sorted() {
      if let url = try? AssetURL(place) { try await fetch(url, named: url.shown, for: id) }
    }
  }

  /// Fetches an asset from its URL, unless it is here. A job that has begun has the bytes that came first, or none.
  private mutating func fetch(
    _ url: AssetURL, named name: String, for id: JobID
  ) async throws {
    let known = submission.assets[url.description]
    if let known {
      let isHere = try await shop.threads.run { [files = shop.files] in files.hasStored(known) }
      guard !isHere else { return }
    }
    let limit = try await shop.farm.admitFetch(for: id)
    let asset = try await shop.fetcher.fetch(url, named: name, atMost: limit)
    guard known == nil || known?.digest == asset.digest else {
      throw JobError(
        "asset-changed",
        "\(AssetFetcher.subject(url, named: name)): its bytes are others than when the job began: "
          + "submit the project again")
    }
    try await shop.farm.keep(asset, fetchedFrom: url, for: id)
    submission.assets[url.description] = asset
  }

  /// The animation's layers as pictures, which are kept as assets are where they are to be shown.
  private func rasters(
    _ requests: [RasterRequest], of document: ProjectDocument, assets: [NamedAsset],
    keeps: Bool
  ) async throws -> [LayerRaster] {
    guard !requests.isEmpty else { return [] }
    let shown = Set(
      requests.compactMap { request in
        if case .image(let asset) = request.content { asset } else { nil }
      })
    var files: [String: AssetFile] = [:]
    for asset in assets where shown.contains(asset.name) {
      files[asset.name] = try await file(of: asset.reference, named: asset.path)
    }
    let directory = "\(shop.directory.uploads)/typeset-\(SecureRandom.token(bytes: 12))"
    try await shop.threads.run {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true)
    }
    let request = TypesetRequest(
      rasters: requests, files: files, root: document.animationPath, directory: directory)
    let made: Result<[LayerRaster], any Error>
    do {
      let rasters = try await shop.tools.typeset(request)
      try await BlockingThread.run(named: "rasters") { [shopFiles = shop.files] in
        for tile in Set(rasters.flatMap(\.tiles).map(\.asset)) where keeps {
          try shopFiles.keep("\(directory)/\(tile)", as: tile)
        }
      }
      made = .success(rasters)
    } catch {
      made = .failure(error)
    }
    try? await shop.threads.run { try FileManager.default.removeItem(atPath: directory) }
    return try made.get()
  }

  /// An asset of the project with what was handed over for it.
  private struct NamedAsset {
    let name: String
    /// The path or the URL, for messages.
    let path: String
    let reference: AssetReference
  }

  /// The media indexes by asset name, built now where they were not before, and why assets have none.
  private func indexes(of assets: [NamedAsset]) async throws
    -> (indexes: [String: MediaIndex], unreadable: [String: JobFailure])
  {
    let cached = try await shop.threads.run { [indexes = shop.indexes] in
      assets.map { indexes.index(of: $0.reference.digest) }
    }
    var found: [String: MediaIndex] = [:]
    var missing: [Digest: (request: ProbeRequest, names: [String])] = [:]
    for (asset, index) in zip(assets, cached) {
      if let index {
        // A file under a media root may have changed since its index was built.
        if asset.reference.path != nil {
          _ = try await file(of: asset.reference, named: asset.path)
        }
        found[asset.name] = index
        continue
      }
      let request = ProbeRequest(
        file: try await file(of: asset.reference, named: asset.path), name: asset.path)
      missing[asset.reference.digest, default: (request, [])].names.append(asset.name)
    }
    let files = missing.sorted { $0.value.request.name < $1.value.request.name }
    let results = try await shop.tools.indexes(of: files.map(\.value.request))
    var failures: [String: JobFailure] = [:]
    for (file, result) in zip(files, results) {
      switch result {
      // The file is not to blame: the run is tried again.
      case .failure(let error) where error.failure.code == MediaChildren.killedCode: throw error
      case .failure(let error):
        for name in file.value.names { failures[name] = error.failure }
      case .success(let index):
        try await shop.threads.run { [indexes = shop.indexes] in
          try indexes.keep(index, of: file.key)
        }
        for name in file.value.names { found[name] = index }
      }
    }
    return (found, failures)
  }

  /// Makes sure that a file under a media root is what the submission says, whatever is known of its digest: else
  /// somebody could name another's asset, and get it.
  private func checkShared(_ reference: AssetReference, named name: String) async throws {
    guard reference.path != nil else { return }
    let file = try await file(of: reference, named: name)
    try await shop.farm.note(
      SharedAsset(digest: reference.digest, path: file.path, byteCount: reference.byteCount))
  }

  private func file(of asset: AssetReference, named name: String) async throws -> AssetFile {
    try await BlockingThread.run(named: "asset") { [files = shop.files] in
      try files.file(of: asset, named: name)
    }
  }

  /// Makes sure that the files under media roots are still what they were when the job was planned.
  func assureUnchanged() async throws {
    for (name, asset) in submission.assets.sorted(by: { $0.key < $1.key }) where asset.path != nil {
      _ = try await file(of: asset, named: name)
    }
  }

  /// Where the assets of a mix are.
  func files(of mix: MixDescription) async throws -> [String: AssetFile] {
    let references = references
    var files: [String: AssetFile] = [:]
    for source in mix.sources {
      guard let reference = references[source.asset] else {
        throw JobError("missing-asset", "\(source.name): the submission does not say its digest")
      }
      files[source.asset.description] = try await file(of: reference, named: source.name)
    }
    return files
  }

  /// The digests of the block digests of every asset that a plan's segments show, by the asset's.
  func blockDigests(of plan: Plan) async throws -> [Digest: Digest] {
    let references = references
    var digests: [Digest: Digest] = [:]
    for source in Set(plan.segments.flatMap(\.sources)) where digests[source.asset] == nil {
      guard let reference = references[source.asset] ?? source.planned else {
        throw JobError("missing-asset", "\(source.name): the submission does not say its digest")
      }
      digests[source.asset] =
        try await file(of: reference, named: source.name).blocks?.digest
    }
    return digests
  }

  private var references: [Digest: AssetReference] {
    Dictionary(submission.assets.values.map { ($0.digest, $0) }) { first, _ in first }
  }
}

extension JobError {
  /// The errors of assets that are not there, or not those that the project names.
  fileprivate static let ofAssets: Set<String> = [
    assetUnreachable, assetNotAllowed, assetTooLarge, "asset-changed", "missing-asset",
  ]
}
