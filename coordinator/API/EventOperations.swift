import FarmAPI
import HTTP

extension Services {
  /// The routes of server-sent events.
  var eventOperations: [Operation] {
    [
      Operation(
        .get, "/api/v1/jobs/{id}/events", "Watch a job's changes until it ends", for: .readers
      ) { request, caller in
        let place = try eventStreams.enter(caller.place(request.head))
        return .events(
          try await farm.events(of: request.job, for: caller, in: place) { [access] in
            access.isInForce(caller)
          })
      }
      .answering(.ok, "`job` events, each with a JobStatus as in lists", .events)
      .refusing(.notFound, .notFound).refusing(.tooManyRequests, .limitReached),

      Operation(
        .get, "/api/v1/events", "Watch the changes of every job and worker", for: .readers
      ) { request, caller in
        let place = try eventStreams.enter(caller.place(request.head))
        return .events(
          try await farm.events(of: nil, for: caller, in: place) { [access] in
            access.isInForce(caller)
          })
      }
      .answering(
        .ok,
        "`job` events, each with a JobStatus as in lists, and `worker` events, each with a "
          + "WorkerStatus", .events),
    ]
  }
}
