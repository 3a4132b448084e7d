import FarmAPI
import HTTP

extension Services {
  /// The routes of server-sent events.
  var eventOperations: [Operation] {
    let last = Operation.Parameter(
      name: "Last-Event-ID", place: "header",
      summary: "The id of the last event that the client received: the stream begins with what has "
        + "changed since, if the coordinator still knows",
      isRequired: false)
    return [
      Operation(
        .get, "/api/v1/jobs/{id}/events", "Watch a job's changes until it ends", for: .readers
      ) { request, caller in
        let slot = try eventStreams.enter(caller.limitKey(request.head))
        return .events(
          try await farm.events(
            of: request.job, for: caller, after: request.headers["Last-Event-ID"], in: slot
          ) { [access] in
            access.isInForce(caller)
          })
      }
      .with(last)
      .answering(
        .ok,
        "`job` events, each with a JobStatus as in lists, and a `removed` event if the job is "
          + "deleted", .events([.job, .removed])
      )
      .refusing(.notFound, .notFound),

      Operation(
        .get, "/api/v1/events", "Watch the changes of every job and worker", for: .readers
      ) { request, caller in
        let slot = try eventStreams.enter(caller.limitKey(request.head))
        return .events(
          try await farm.events(
            of: nil, for: caller, after: request.headers["Last-Event-ID"], in: slot
          ) { [access] in
            access.isInForce(caller)
          })
      }
      .with(last)
      .answering(
        .ok,
        "`job` events, each with a JobStatus as in lists, `worker` events, each with a "
          + "WorkerStatus, and `removed` events with the id of a `job` or `worker` that is gone",
        .events(EventKind.allCases)),
    ]
  }
}
