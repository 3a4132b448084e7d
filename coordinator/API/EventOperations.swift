import FarmAPI
import HTTP

extension Services {
  /// The routes of server-sent events.
  var eventOperations: [Operation] {
    [
      Operation(.get, "/api/v1/jobs/{id}/events", "A job's changes, until it ends", for: .readers) {
        request, caller in
        .events(
          try await farm.events(of: request.job, for: caller) { [access] in
            access.isInForce(caller)
          })
      }
      .answering(.ok, "Events `job` with a JobStatus each", .events)
      .refusing(.notFound, .notFound),

      Operation(.get, "/api/v1/events", "The changes of every job and worker", for: .readers) {
        _, caller in
        .events(
          try await farm.events(of: nil, for: caller) { [access] in access.isInForce(caller) })
      }
      .answering(
        .ok, "Events `job` with a JobStatus and `worker` with a WorkerStatus each", .events),
    ]
  }
}
