import FarmAPI
import Foundation
import HTTP
import Scheduling
import Threads

extension Services {
  /// The routes of leases.
  var leaseOperations: [Operation] {
    [
      Operation(.put, "/api/v1/leases/{token}", "Renew a lease", for: .workers) { request, _ in
        let (token, heartbeat) = (try request.head.lease, try request.wire(Heartbeat.self))
        // Behind a queue of requests for leases, it could come too late to keep the lease.
        return try .wire(try await urgently { try await farm.heartbeat(token, heartbeat) })
      }
      .taking(.json(.heartbeat))
      .answering(.ok, "Whether the worker must stop", .json(.heartbeatAnswer))
      .refusing(.conflict, .staleLease),

      Operation(
        .put, "/api/v1/leases/{token}/chunk", "Deliver a lease's chunk", for: .workers,
        open: { head, caller in try await urgently { try await openChunk(head, of: caller) } },
        { head, caller, upload in
          try await urgently { try await accept(head, upload, of: caller) }
        }
      )
      .taking(
        .octets,
        Operation.Parameter(
          name: ChunkManifest.headerName, place: "header",
          summary: "The chunk's manifest as one line of JSON; the list of concealments that it "
            + "announces follows the chunk in the body"),
        Operation.Parameter(
          name: ChunkManifest.digestHeaderName, place: "header",
          summary: "The manifest's digest in the format of Content-Digest"),
        Operation.Parameter(
          name: ChunkFolder.fileHeaderName, place: "header",
          summary: "The name under which the chunk was left in the coordinator's folder for chunks "
            + "or in the object store; the body is then empty", isRequired: false)
      )
      .answering(.ok, "The chunk is accepted, or was accepted before", .json(.chunkReceipt))
      .refusing(.conflict, .staleLease)
      .refusing(.unprocessableContent, .invalidChunk)
      .refusing(.unprocessableContent, .damagedChunk)
      .refusing(.unprocessableContent, .missingChunkFile),

      Operation(
        .post, "/api/v1/leases/{token}/link",
        "Get a link with which a lease's chunk can be left in the object store", for: .workers
      ) { request, _ in
        let (token, delivery) = (try request.head.lease, try request.wire(StorageDelivery.self))
        return try .wire(try await urgently { try await link(token, delivery) })
      }
      .taking(.json(.storageDelivery))
      .answering(.ok, "The link", .json(.storageLink))
      .refusing(.notFound, .notFound)
      .refusing(.conflict, .staleLease),

      Operation(
        .post, "/api/v1/leases/{token}/failure", "Report a failed attempt", for: .workers
      ) { request, _ in
        // The job's failure combines the messages of several attempts, and is stored permanently.
        var report = try request.wire(FailureReport.self).shortened
        report.message = PublicMessage.withoutPlaces(report.message)
        // Shortened again, because the replacement of an address may be longer than the address.
        let (token, shortened) = (try request.head.lease, report.shortened)
        try await urgently { try await farm.fail(token, shortened) }
        return Response(.noContent)
      }
      .taking(.json(.failureReport))
      .answering(.noContent, "The failure is recorded")
      .refusing(.conflict, .staleLease),

      Operation(.delete, "/api/v1/leases/{token}", "Give a lease back", for: .workers) {
        request, _ in
        let token = try request.head.lease
        try await urgently { await farm.giveBack(token) }
        return Response(.noContent)
      }
      .answering(.noContent, "The lease has ended"),
    ]
  }

  /// Runs a call for a lease that is in force. It overtakes requests for leases, so that a farm with too many workers
  /// first finishes what it has begun.
  private func urgently<Value: Sendable>(
    _ call: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await Task(priority: .urgent, operation: call).value
  }

  private func link(
    _ token: LeaseToken, _ delivery: StorageDelivery
  ) async throws -> StorageLink {
    let limit = try await farm.chunkByteLimit(underRunning: token)
    guard ChunkFolder.isFileName(delivery.name), (1...Int64(limit)).contains(delivery.byteCount)
    else {
      throw HTTPError(
        .badRequest, type: ProblemType.malformedRequest.rawValue,
        detail: "a chunk needs a name of 16 to 64 hexadecimal digits, and 1 to \(limit) bytes")
    }
    guard let sharedObjects else {
      throw HTTPError(
        .notFound, type: ProblemType.notFound.rawValue, detail: "the farm has no object store")
    }
    return try await threads.run {
      try sharedObjects.link(
        toDeliver: delivery.name, delivery.sha256, byteCount: delivery.byteCount)
    }
  }

  private func openChunk(
    _ head: RequestHead, of caller: Caller
  ) async throws -> ChunkUpload {
    let token = try head.lease
    let manifest: ChunkManifest
    do throws(ChunkManifest.HeaderProblem) {
      manifest = try ChunkManifest(
        line: head.headers[ChunkManifest.headerName],
        digest: head.headers[ChunkManifest.digestHeaderName])
    } catch {
      switch error {
      case .damaged:
        throw await farm.refuseDamaged(
          token, "the chunk's manifest does not match \(ChunkManifest.digestHeaderName)")
      case .malformed:
        throw HTTPError(
          .badRequest, type: ProblemType.malformedRequest.rawValue,
          detail: "the header \(ChunkManifest.headerName) does not contain a valid manifest")
      }
    }
    guard manifest.byteCount > 0 else {
      throw await farm.refuse(token, "the manifest declares an empty chunk")
    }
    let limit = await farm.chunkByteLimit(under: token)
    guard manifest.byteCount <= Int64(limit) else {
      await farm.refuse(token, "the chunk is larger than \(limit) bytes")
      throw HTTPError.bodyTooLarge("the chunk", limit: limit)
    }
    if let list = manifest.concealments,
      !(1...ConcealmentList.byteLimit).contains(list.byteCount)
    {
      throw await farm.refuse(
        token, "the list of concealments must have 1 to \(ConcealmentList.byteLimit) bytes")
    }
    let offer = try await farm.offer(token, manifest, of: caller)
    if case .wanted = offer { await farm.makeRoom(for: manifest.byteCount) }
    return try await threads.run {
      try ChunkUpload(
        manifest, under: token, in: head.headers[ChunkFolder.fileHeaderName], store: chunks, offer)
    }
  }

  private func accept(
    _ head: RequestHead, _ upload: ChunkUpload, of caller: Caller
  ) async throws -> Response {
    let chunk: DeliveredChunk
    switch try await threads.run(apart: !chunks.isOnDisk, { try upload.finish() }) {
    case .stored(let delivered): chunk = delivered
    case .invalid(let problem): throw await farm.refuse(try head.lease, problem)
    case .damaged(let problem): throw await farm.refuseDamaged(try head.lease, problem)
    case .absent:
      throw HTTPError(
        .unprocessableContent, type: ProblemType.missingChunkFile.rawValue,
        detail: "the coordinator does not see the chunk where it was left: send the chunk")
    }
    try await farm.accept(head.lease, chunk, of: caller) { [access] in access.isInForce(caller) }
    return try .wire(ChunkReceipt(sha256: upload.manifest.sha256))
  }
}

extension RequestHead {
  /// The lease that the path names.
  fileprivate var lease: LeaseToken {
    get throws { LeaseToken(rawValue: try parameter("token")) }
  }
}
