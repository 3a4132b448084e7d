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
        let events = try await farm.events(
          of: request.job, for: caller, after: request.headers["Last-Event-ID"], in: slot
        ) { [access] in
          access.isInForce(caller)
        }
        return .events(events.serverSent)
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
        let events = try await farm.events(
          of: nil, for: caller, after: request.headers["Last-Event-ID"], in: slot
        ) { [access] in
          access.isInForce(caller)
        }
        return .events(events.serverSent)
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

extension AsyncStream<FarmEvent> {
  /// The events as clients receive them. Each one is made when it is sent, and shares its data with those of other
  /// clients.
  fileprivate var serverSent: AsyncStream<ServerSentEvent> {
    let events = self
    return AsyncStream<ServerSentEvent>(unfolding: {
      guard let event = await events.first(where: { _ in true }) else { return nil }
      return ServerSentEvent(event)
    })
  }
}

extension ServerSentEvent {
  /// The time after which a client whose stream has ended asks again.
  private static let pause = Duration.seconds(2)

  fileprivate init(_ event: FarmEvent) {
    self.init(event: event.kind.rawValue, data: event.data, id: event.id)
    if event.isFirst { retry = Self.pause }
  }
}
