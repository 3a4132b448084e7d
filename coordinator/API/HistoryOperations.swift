import FarmAPI
import HTTP
import Preparation
import Scheduling

extension Services {
  /// The routes that tell what happened to a job.
  var historyOperations: [Operation] {
    [
      Operation(
        .get, "/api/v1/jobs/{id}/segments/{index}", "Get one of a job's segments", for: .readers
      ) { request, caller in
        try .wire(await farm.segment(request.segment, of: request.job, for: caller))
      }
      .answering(.ok, "The segment", .json(.segmentStatus)).refusing(.notFound, .notFound),

      Operation(
        .get, "/api/v1/jobs/{id}/segments/{index}/attempts",
        "List the attempts at a segment with their logs, newest first", for: .readers
      ) { request, caller in
        let (id, index) = (try request.job, try request.segment)
        return try await listing.run(for: caller.name) {
          try .wire(await farm.attempts(at: index, of: id, for: caller))
        }
      }
      .answering(.ok, "The attempts, at most 100", .list(.segmentAttempt))
      .refusing(.notFound, .notFound),

      Operation(
        .get, "/api/v1/jobs/{id}/attempts",
        "List the attempts at all segments of a job, in order of their start", for: .readers
      ) { request, caller in
        let hasLogs = try request.flag("logs")
        let (id, after) = (try request.job, try request.after)
        let limit = try request.limit(atMost: hasLogs ? Self.loggedAttempts : 1000)
        return try await listing.run(for: caller.name) {
          try .wire(
            await farm.attempts(
              of: id, after: after ?? 0, limit: limit, withLogs: hasLogs, for: caller))
        }
      }
      .with(
        Operation.Parameter(
          name: "limit", place: "query",
          summary: "The maximum number of attempts, 1 to 1000 (1000); with logs, 1 to "
            + "\(Self.loggedAttempts) (\(Self.loggedAttempts))",
          schema: SchemaDecoder.count(from: 1, to: 1000), isRequired: false)
      )
      .with(
        Operation.Parameter(
          name: "after", place: "query", summary: "The number of attempts to skip at the beginning",
          schema: SchemaDecoder.index, isRequired: false)
      )
      .with(
        Operation.Parameter(
          name: "logs", place: "query", summary: "Whether to include the attempts' logs (false)",
          schema: ["type": "boolean"], isRequired: false)
      )
      .answering(.ok, "The attempts", .list(.segmentAttempt))
      .refusing(.notFound, .notFound),
    ]
  }

  /// The maximum number of attempts in a list with logs.
  private static let loggedAttempts = 100
}
