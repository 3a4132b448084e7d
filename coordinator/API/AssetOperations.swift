import Crypto
import FarmAPI
import Foundation
import HTTP
import Preparation
import Scheduling
import Threads

extension Services {
  /// The largest number of bytes that an upload may declare, which is beyond all limits: 1 PiB.
  fileprivate static let largestByteCount = (1 << 50) - 1

  /// The routes of assets.
  var assetOperations: [Operation] {
    let offset = Operation.Parameter(
      name: "Upload-Offset", place: "header", summary: "The offset of the first byte in the asset",
      schema: SchemaDecoder.count(from: 0, to: Self.largestByteCount), isRequired: false)
    let length = Operation.Parameter(
      name: "Upload-Length", place: "header", summary: "The size of the asset in bytes",
      schema: SchemaDecoder.count(from: 0, to: Self.largestByteCount), isRequired: false)
    let lease = Operation.Parameter(
      name: Lease.headerName, place: "header",
      summary: "The token of a lease that names the asset; required from workers",
      isRequired: false)
    return [
      Operation(
        .head, "/api/v1/assets/{digest}", "Check how much of an asset is stored",
        for: .everyRole
      ) { request, caller in
        try await fetch(request, for: caller)
      }
      .with(lease)
      .sending("The coordinator has it", .octets).refusing(.notFound, .notFound)
      .refusing(.conflict, .staleLease),

      Operation(.get, "/api/v1/assets/{digest}", "Get an asset", for: .everyRole) {
        request, caller in
        try await fetch(request, for: caller)
      }
      .with(lease).sending("The asset", .octets)
      .refusing(.notFound, .notFound).refusing(.conflict, .staleLease),

      Operation(
        .get, "/api/v1/assets/{digest}/blocks", "Get an asset's block digests", for: .everyRole
      ) { request, caller in
        try await fetchBlocks(request, for: caller)
      }
      .with(lease).sending("The block digests", .octets)
      .refusing(.notFound, .notFound).refusing(.conflict, .staleLease),

      Operation(
        .get, "/api/v1/assets/{digest}/link", "Get a link to an asset in the object store",
        for: .workers
      ) { request, caller in
        try await link(request, for: caller)
      }
      .with(lease).answering(.ok, "The link", .json(.storageLink))
      .refusing(.notFound, .notFound).refusing(.conflict, .staleLease),

      Operation(
        .put, "/api/v1/assets/{digest}", "Upload an asset, or the rest of it",
        for: .submitters,
        open: { head, caller in try await openUpload(head, for: caller) },
        { _, caller, upload in try await finish(upload, for: caller) }
      )
      .taking(.octets, offset, length)
      .answering(.created, "The asset is complete")
      .answering(
        .accepted, "The asset is incomplete; continue at `Upload-Offset`",
        headers: ["Upload-Offset": SchemaDecoder.count(from: 0)]
      )
      .refusing(.conflict, .uploadOffset)
      .refusing(.conflict, .uploadInProgress)
      .refusing(.contentTooLarge, .assetQuota)
      .refusing(.unprocessableContent, .digestMismatch),
    ]
  }

  /// Returns the digest of the requested asset if the caller may ask for the asset.
  private func wantedAsset(_ request: Request, by caller: Caller) async throws -> Digest {
    let digest = try request.head.digest
    // Workers' tokens are stored on many hosts, so a worker may read only the assets that its leases name.
    if caller.role == .worker {
      guard let lease = request.headers[Lease.headerName] else {
        throw FarmError.notFound("asset", "\(digest)")
      }
      try await farm.checkAsset(digest, isNamedBy: LeaseToken(rawValue: lease))
    }
    return digest
  }

  private func fetch(_ request: Request, for caller: Caller) async throws -> Response {
    let digest = try await wantedAsset(request, by: caller)
    let isVisible = try await farm.visible([digest], to: caller).contains(digest)
    // Submitters do not need to read files under media roots over HTTP.
    let shared = caller.confinement == nil ? try await farm.sharedAsset(digest) : nil
    // Bringing an asset here takes long if it is in an object store.
    return try await threads.run(apart: !assets.storage.isOnDisk) {
      let byteCount = isVisible ? try assets.byteCount(of: digest) : nil
      if let byteCount, request.method == .head, !assets.storage.isOnDisk {
        return try answerHead(of: digest, byteCount, request)
      }
      let stored = (byteCount == nil ? nil : try assets.localPath(of: digest)) ?? "/dev/null"
      let path = byteCount == nil ? shared?.path ?? stored : stored
      // A shared file that has changed is no longer the asset.
      guard let size = FileFacts.byteCount(at: path), path == stored || size == shared?.byteCount
      else {
        throw HTTPError(
          .notFound, type: ProblemType.notFound.rawValue,
          detail: "there is no asset '\(digest)'",
          headers: [
            "Upload-Offset": String(assets.uploadedByteCount(of: digest, by: caller.confinement))
          ])
      }
      return try Response.file(
        path: path, request: request, contentType: "application/octet-stream",
        etag: digest.description, throughLinks: path == stored)
    }
  }

  /// Answers a HEAD request for an asset that is not brought here for that. Blocks briefly.
  private func answerHead(
    of digest: Digest, _ byteCount: Int64, _ request: Request
  ) throws -> Response {
    // A file of this length, which has no content and is not read.
    let path = "\(directory.uploads)/head-\(SecureRandom.token(bytes: 12))"
    let file = try StagedFile(path)
    defer { file.discard() }
    guard truncate(path, off_t(byteCount)) == 0 else {
      throw StorageError("cannot create a file", path)
    }
    return try Response.file(
      path: path, request: request, contentType: "application/octet-stream",
      etag: digest.description)
  }

  /// Returns a link to an asset that the caller may use.
  private func link(_ request: Request, for caller: Caller) async throws -> Response {
    let digest = try await wantedAsset(request, by: caller)
    let isVisible = try await farm.visible([digest], to: caller).contains(digest)
    return try await threads.run { () throws in
      guard isVisible, let sharedObjects, try assets.byteCount(of: digest) != nil else {
        throw HTTPError(
          .notFound, type: ProblemType.notFound.rawValue,
          detail: "the asset '\(digest)' is not in an object store")
      }
      return try .wire(try sharedObjects.link(to: StoredObject(.asset, digest)))
    }
  }

  /// Returns the block digests of an asset that the caller may use. Checks the stored list first.
  private func fetchBlocks(_ request: Request, for caller: Caller) async throws -> Response {
    let digest = try await wantedAsset(request, by: caller)
    let isVisible = try await farm.visible([digest], to: caller).contains(digest)
    let shared = caller.confinement == nil ? try await farm.sharedAsset(digest) : nil
    // Creating a list takes long, because the entire asset has to be read.
    let hasList = try await threads.run { [assets] in assets.blocks.facts(of: digest) != nil }
    return try await (hasList ? assets.blocks.reading : resumptions).run(for: caller.name) {
      try await BlockingThread.run(named: "blocks") {
        let sharedList = try shared.flatMap { try blocks(of: $0) }
        guard isVisible || sharedList != nil, let list = try sharedList ?? assets.list(of: digest),
          let path = try assets.blocks.localPath(of: digest)
        else {
          throw HTTPError(
            .notFound, type: ProblemType.notFound.rawValue, detail: "there is no asset '\(digest)'")
        }
        return try Response.file(
          path: path, request: request, contentType: "application/octet-stream",
          etag: list.digest.description)
      }
    }
  }

  /// Returns the block digests of a file under a media root, or `nil` if the file is no longer the asset. The list was
  /// created when the file was compared with its submission. It is created again if it was lost. Blocks.
  private func blocks(of shared: SharedAsset) throws -> BlockDigests? {
    if let list = assets.blocks.list(of: shared.digest) { return list }
    guard let file = try? OpenFile(shared.path, throughLinks: false) else { return nil }
    let list = try withExtendedLifetime(file) {
      try BlockDigests.of(file: "/proc/self/fd/\(file.descriptor)")
    }
    guard list.content == shared.digest else { return nil }
    try assets.blocks.keep(list)
    return list
  }

  private func openUpload(
    _ head: RequestHead, for caller: Caller
  ) async throws -> AssetReceiver {
    let digest = try head.digest
    let offset = try head.byteCount("Upload-Offset") ?? 0
    let declared = try head.byteCount("Upload-Length")
    let length = head.contentLength
    guard let total = declared ?? length.map({ offset + min($0, 1 << 50) }) else {
      throw HTTPError(
        .badRequest, type: ProblemType.malformedRequest.rawValue,
        detail: "Upload-Length is missing: send the size of the asset in bytes")
    }
    // No client sends more than it declares, so one of the numbers was damaged in transit.
    guard length.map({ offset + min($0, 1 << 50) <= total }) ?? true else {
      throw HTTPError.damagedRequest
    }
    guard total <= Int64(limits.assetBytes) else {
      throw HTTPError.bodyTooLarge("the asset", limit: limits.assetBytes)
    }
    if try await farm.visible([digest], to: caller).contains(digest),
      try await isStored(digest, total, for: caller)
    {
      return AssetReceiver(digest, nil)
    }
    // Evaluated again: an asset that was just found to be damaged is no longer visible to anyone.
    let isVisible = try await farm.visible([digest], to: caller).contains(digest)
    let owner = caller.confinement
    let owned = try await farm.assetCount(of: caller)
    var announcement: UInt64?
    defer { if let announcement, let owner { assets.retract(announcement, by: owner) } }
    if let owner, !isVisible {
      // Announced before the limits are checked, so that concurrent requests count each other.
      let (number, others) = assets.announce(digest, by: owner, total: total)
      announcement = number
      let hasBegun = try await threads.run {
        FileFacts.byteCount(at: assets.partialPath(of: digest, by: owner)) != nil
      }
      try await farm.assureQuota(of: owner, for: total, digest, unfinished: others.byteCount)
      guard hasBegun || owned + others.count < limits.assetsPerSubmitter else {
        throw FarmError(
          .limitReached,
          "\(owner) already has \(limits.assetsPerSubmitter) assets, which is the limit: wait until "
            + "unused assets are removed, or ask the operator to raise the limit")
      }
    }
    await farm.makeRoom(for: total - offset)
    // Resuming an upload takes long, because the received part has to be read.
    guard offset > 0 else { return try await openUpload(of: digest, by: owner, from: 0, total) }
    return try await resumptions.run(for: caller.name) {
      try await openUpload(of: digest, by: owner, from: offset, total)
    }
  }

  /// Opens an upload at an offset, and reads the bytes before the offset.
  private func openUpload(
    of digest: Digest, by owner: String?, from offset: Int64, _ total: Int64
  ) async throws -> AssetReceiver {
    try await BlockingThread.run(named: "upload") { isCancelled in
      let there = assets.uploadedByteCount(of: digest, by: owner)
      guard !assets.isUnderWay(digest, by: owner) else { throw UploadError.inProgress(there) }
      if there > total {
        assets.discardUpload(of: digest, by: owner)
        throw UploadError.offset(0)
      }
      // Checked before the upload is opened, because opening it would end another upload in progress.
      guard there == offset else { throw UploadError.offset(there) }
      let upload: IncomingAsset
      do {
        upload = try assets.open(digest, by: owner, total: total) { !isCancelled() }
      } catch {
        if isCancelled() { throw CancellationError() }
        throw error
      }
      // Another upload may have continued in between.
      guard upload.byteCount == offset else {
        upload.abandon()
        throw UploadError.offset(upload.byteCount)
      }
      return AssetReceiver(digest, upload)
    }
  }

  /// Whether a sound asset of this size is stored, so that the upload is not needed. A damaged asset is marked as lost,
  /// so that the upload repairs it.
  private func isStored(
    _ digest: Digest, _ byteCount: Int64, for caller: Caller
  ) async throws -> Bool {
    guard try await threads.run({ () throws in try assets.byteCount(of: digest) == byteCount })
    else { return false }
    switch try await assetChecks.problem(of: digest, for: caller.name) {
    case nil: return true
    case .missing: return false
    case .damaged(let reason):
      await farm.loseStored(digest, because: reason)
      return false
    }
  }

  private func finish(_ receiver: AssetReceiver, for caller: Caller) async throws -> Response {
    guard let upload = receiver.upload else { return Response(.created) }
    upload.noteEnd()
    let outcome: IncomingAsset.Outcome
    do {
      outcome = try await finishing.run(for: caller.name) {
        try await BlockingThread.run(named: "uploaded") { try upload.finish() }
      }
    } catch {
      upload.abandon()
      throw error
    }
    switch outcome {
    case .complete:
      try await farm.own(receiver.digest, upload.total, caller)
      return Response(.created)
    case .incomplete(let byteCount):
      return Response(.accepted, headers: ["Upload-Offset": String(byteCount)])
    case .mismatch(let digest):
      throw HTTPError(
        .unprocessableContent, type: ProblemType.digestMismatch.rawValue,
        detail: "the uploaded bytes do not match \(digest) and were discarded: upload them again")
    }
  }
}

/// Receives an upload. If the asset is stored already, the received bytes are ignored.
final class AssetReceiver: BodySink {
  let digest: Digest
  let upload: IncomingAsset?

  init(_ digest: Digest, _ upload: IncomingAsset?) {
    self.digest = digest
    self.upload = upload
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws { try upload?.write(bytes) }

  func abandon() { upload?.abandon() }
}

extension RequestHead {
  /// The asset that the path names.
  fileprivate var digest: Digest {
    get throws {
      let text = try parameter("digest")
      guard let digest = Digest(hex: text) else {
        throw HTTPError(
          .badRequest, type: ProblemType.malformedRequest.rawValue,
          detail: "'\(text)' is not a SHA-256: write 64 hexadecimal digits")
      }
      return digest
    }
  }

  /// The value of a header that states a number of bytes, or `nil` if the header is missing.
  fileprivate func byteCount(_ name: String) throws -> Int64? {
    guard let text = headers[name] else { return nil }
    guard let value = Int64(text), (0...Int64(Services.largestByteCount)).contains(value) else {
      throw HTTPError(
        .badRequest, type: ProblemType.malformedRequest.rawValue,
        detail: "\(name) '\(text)' is not a number of bytes")
    }
    return value
  }
}
