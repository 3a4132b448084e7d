import FarmAPI
import HTTP
import Scheduling

extension Services {
  /// The routes of workers.
  var workerOperations: [Operation] {
    [
      Operation(.post, "/api/v1/workers", "Register a worker", for: .workers) {
        request, caller in
        let registration = try request.wire(WorkerRegistration.self).shortened
        let (slots, sizes) = (WorkerRegistration.slotCounts, WorkerRegistration.fingerprintSizes)
        guard slots.contains(registration.slots),
          sizes.contains(registration.fingerprint.utf8.count), registration.memory ?? 1 > 0
        else {
          throw HTTPError(
            .badRequest, type: ProblemType.malformedRequest.rawValue,
            detail: "a worker must have \(slots.lowerBound) to \(slots.upperBound) slots and "
              + "a fingerprint of \(sizes.lowerBound) to \(sizes.upperBound) bytes, and `memory`, "
              + "if present, must be greater than 0")
        }
        let (pools, priority) = (registration.pools ?? [], registration.priority ?? 0)
        let priorities = WorkerRegistration.priorities
        guard pools.count <= WorkerRegistration.mostPools,
          pools.allSatisfy({ PoolName($0) != nil }),
          priorities.contains(priority)
        else {
          throw HTTPError(
            .badRequest, type: ProblemType.malformedRequest.rawValue,
            detail:
              "a worker belongs to at most \(WorkerRegistration.mostPools) pools, whose names "
              + "have \(PoolName.contents), and its priority is "
              + "\(priorities.lowerBound) to \(priorities.upperBound)")
        }
        var welcome = try await farm.register(registration, by: caller, atMost: limits.workers)
        if LoopbackAddress.isNumeric(request.head.peer) {
          welcome.chunkFolder = chunks.deliveries.folder
        }
        if sharedObjects != nil { welcome.hasObjectStore = true }
        return try .wire(welcome, status: .created)
      }
      .taking(.json(.workerRegistration))
      .answering(.created, "The worker's id for requesting leases", .json(.workerWelcome)),

      Operation(.get, "/api/v1/workers", "List the workers", for: .observers) { _, _ in
        try .wire(await farm.workerStatuses())
      }
      .answering(.ok, "The workers", .list(.workerStatus)),

      Operation(
        .post, "/api/v1/workers/{id}/drain", "Let a worker finish its leases and take no more",
        for: .admins
      ) { request, _ in
        try .wire(
          try await farm.drain(request.worker, atOnce: request.flag("now")))
      }
      .with(
        Operation.Parameter(
          name: "now", place: "query",
          summary: "true takes its leases back at once, so that other workers render the segments",
          schema: ["type": "boolean"], isRequired: false)
      )
      .answering(.ok, "The worker", .json(.workerStatus)).refusing(.notFound, .notFound),

      Operation(
        .post, "/api/v1/workers/{id}/resume",
        "Give leases again to a worker that is draining, set aside or distrusted", for: .admins
      ) { request, _ in
        try .wire(try await farm.resume(request.worker))
      }
      .answering(.ok, "The worker", .json(.workerStatus)).refusing(.notFound, .notFound),

      Operation(
        .post, "/api/v1/workers/{id}/leases", "Wait for a segment to render", for: .workers
      ) { request, caller in
        try await lease(request, for: caller)
      }
      .with(
        Operation.Parameter(
          name: "wait", place: "query", summary: "Seconds to wait, 0 to 60",
          schema: SchemaDecoder.count(from: 0, to: 60), isRequired: false)
      )
      .answering(.ok, "A lease", .json(.lease))
      .answering(.noContent, "No segment became available in time")
      .refusing(.notFound, .notFound),
    ]
  }

  private func lease(_ request: Request, for caller: Caller) async throws -> Response {
    let worker = try request.worker
    let wait = try request.wait(or: 0)
    let slot = try longPolls.enter(caller.limitKey(request.head))
    defer { withExtendedLifetime(slot) {} }
    let answer = await farm.lease(for: worker, wait: .seconds(wait)) { [access] in
      access.isInForce(caller)
    }
    switch answer {
    case .granted(let lease):
      // The token may have been revoked during the wait.
      guard access.isInForce(caller) else {
        await farm.giveBack(lease.token)
        throw AccessError.unauthorized("the token was revoked")
      }
      return .wire(data: try lease.message())
    case .nothing:
      guard access.isInForce(caller) else {
        throw AccessError.unauthorized("the token was revoked")
      }
      return Response(.noContent)
    case .unknownWorker: throw FarmError.notFound("worker", worker.rawValue)
    case .unavailable: throw FarmError.tryAgain
    }
  }
}

extension Request {
  /// The worker that the path names.
  fileprivate var worker: WorkerID {
    get throws { WorkerID(rawValue: try parameter("id")) }
  }
}
