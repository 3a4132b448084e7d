import FarmAPI
import HTTP
import Preparation
import Scheduling

extension Services {
  /// The routes of jobs.
  var jobOperations: [Operation] {
    [
      Operation(
        .post, "/api/v1/jobs", "Submit a project", for: .submitters,
        open: { head, _ in try await openSubmission(head) },
        { head, caller, upload in
          let job = try await submit(upload, head, for: caller)
          return try .wire(
            job.status, status: job.isNew ? .created : .ok,
            headers: ["Location": "/api/v1/jobs/\(job.status.id)"])
        }
      )
      .taking(
        .json(.jobSubmission),
        Operation.Parameter(
          name: IdempotencyKey.headerName, place: "header",
          summary: "1 to 128 visible characters; the same key and body return the same job",
          schema: ["type": "string", "pattern": .string(IdempotencyKey.pattern)], isRequired: false),
        Operation.Parameter(
          name: ContentDigest.headerName, place: "header",
          summary: "The body's SHA-256 (RFC 9530); a body that does not match is rejected",
          isRequired: false)
      )
      .answering(
        .created, "The job", .json(.jobStatus), headers: ["Location": ["type": "string"]]
      )
      .answering(.ok, "The job that was already submitted under the key", .json(.jobStatus))
      .refusing(.unprocessableContent, .keyReused)
      .refusing(.unprocessableContent, .invalidProject)
      .refusing(.unprocessableContent, .missingAsset)
      .refusing(.unprocessableContent, .assetNotAllowed)
      .refusing(.contentTooLarge, .limitReached),

      Operation(.get, "/api/v1/jobs", "List the jobs, newest first", for: .readers) {
        request, caller in
        try await jobs(
          for: caller, before: request.query["before"].map(JobID.init(rawValue:)),
          limit: try request.limit)
      }
      .with(
        Operation.Parameter(
          name: "limit", place: "query", summary: "The maximum number of jobs, 1 to 1000 (1000)",
          schema: SchemaDecoder.count(from: 1, to: 1000), isRequired: false)
      )
      .with(
        Operation.Parameter(
          name: "before", place: "query",
          summary: "Only jobs that were submitted before the job with this id", isRequired: false)
      )
      .answering(
        .ok, "The jobs; a single job has longer messages and lists", .list(.jobStatus)
      )
      .refusing(.notFound, .notFound),

      Operation(.get, "/api/v1/jobs/{id}", "Get a job", for: .readers) { request, caller in
        try .wire(try await farm.status(of: request.job, for: caller))
      }
      .answering(.ok, "The job", .json(.jobStatus)).refusing(.notFound, .notFound),

      Operation(
        .get, "/api/v1/jobs/{id}/segments", "List a job's segments in order", for: .readers
      ) { request, caller in
        let (id, after, limit) = (try request.job, try request.after, try request.limit)
        return try await listing.run(for: caller.name) {
          try Response.wire(
            await farm.segments(of: id, after: after, limit: limit, for: caller))
        }
      }
      .with(
        Operation.Parameter(
          name: "limit", place: "query",
          summary: "The maximum number of segments, 1 to 1000 (1000)",
          schema: SchemaDecoder.count(from: 1, to: 1000), isRequired: false)
      )
      .with(
        Operation.Parameter(
          name: "after", place: "query", summary: "Only segments after the one with this index",
          schema: SchemaDecoder.index, isRequired: false)
      )
      .answering(.ok, "The segments", .list(.segmentStatus))
      .refusing(.notFound, .notFound),

      Operation(
        .get, "/api/v1/jobs/{id}/concealments",
        "List the parts of a job's file that show or play concealed damage, in order",
        for: .readers
      ) { request, caller in
        let (id, after, limit) = (try request.job, try request.after, try request.limit)
        return try await listing.run(for: caller.name) {
          try Response.wire(
            await farm.concealments(of: id, after: after ?? 0, limit: limit, for: caller))
        }
      }
      .with(
        Operation.Parameter(
          name: "limit", place: "query", summary: "The maximum number of parts, 1 to 1000 (1000)",
          schema: SchemaDecoder.count(from: 1, to: 1000), isRequired: false)
      )
      .with(
        Operation.Parameter(
          name: "after", place: "query", summary: "The number of parts to skip at the beginning",
          schema: SchemaDecoder.index, isRequired: false)
      )
      .answering(.ok, "The parts", .list(.concealedMedia))
      .refusing(.notFound, .notFound),

      Operation(.post, "/api/v1/jobs/{id}/cancel", "Cancel a job", for: .submitters) {
        request, caller in
        try .wire(try await farm.cancel(request.job, for: caller))
      }
      .answering(.ok, "The job", .json(.jobStatus)).refusing(.notFound, .notFound)
      .refusing(.conflict, .wrongState),

      Operation(
        .post, "/api/v1/jobs/{id}/retry", "Retry a failed or cancelled job",
        for: .submitters
      ) { request, caller in
        return try .wire(try await farm.retry(request.job, for: caller))
      }
      .answering(.ok, "The job", .json(.jobStatus)).refusing(.notFound, .notFound)
      .refusing(.conflict, .wrongState),

      Operation(.get, "/api/v1/jobs/{id}/output", "Get a job's finished file", for: .readers) {
        request, caller in
        try await output(request, for: caller)
      }
      .with(
        Operation.Parameter(
          name: "Prefer", place: "header",
          summary: "wait=SECONDS: how long to wait while the file is checked, at most "
            + "\(Self.longestCheckWait.components.seconds) (default: until the check ends)",
          isRequired: false)
      )
      .passingFiles
      .sending("The file", .media)
      .refusing(.notFound, .notFound).refusing(.conflict, .wrongState)
      .refusing(.gone, .outputDeleted)
      .refusing(.serviceUnavailable, .outputCheck),
    ]
  }

  /// The number of jobs that are read in one call to the farm.
  private static let jobBatch = 50

  /// The response with the jobs that the caller may see, newest first.
  private func jobs(
    for caller: Caller, before earlier: JobID?, limit: Int
  ) async throws -> Response {
    try await listing.run(for: caller.name) {
      var jobs: [JobStatus] = []
      var last = earlier
      while jobs.count < limit {
        let count = min(Self.jobBatch, limit - jobs.count)
        let batch = try await farm.statuses(for: caller, before: last, limit: count)
        jobs += batch
        guard batch.count == count, let id = batch.last?.id else { break }
        last = JobID(rawValue: id)
      }
      return try Response.wire(jobs)
    }
  }
}
