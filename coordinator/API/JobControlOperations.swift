import FarmAPI
import HTTP
import Scheduling
import Threads

extension Services {
  /// The routes that reorder and delete jobs.
  var jobControlOperations: [Operation] {
    [
      Operation(
        .put, "/api/v1/jobs/{id}/priority", "Change an unfinished job's priority",
        for: .submitters
      ) { request, caller in
        let priority = try request.wire(JobPriority.self).priority
        guard JobSubmission.priorities.contains(priority) else {
          throw HTTPError(
            .badRequest, type: ProblemType.malformedRequest.rawValue,
            detail: "priority must be between \(JobSubmission.priorities.lowerBound) and "
              + "\(JobSubmission.priorities.upperBound)")
        }
        return try .wire(try await farm.prioritize(request.job, priority, for: caller))
      }
      .taking(.json(.jobPriority))
      .answering(.ok, "The job", .json(.jobStatus))
      .refusing(.notFound, .notFound)
      .refusing(.conflict, .wrongState),

      Operation(
        .delete, "/api/v1/jobs/{id}", "Delete a job that has ended, with its finished file",
        for: .submitters
      ) { request, caller in
        let id = try request.job
        let removal = try await farm.delete(
          id, for: caller, outputs.removal(of: id.rawValue))
        // The cleanup deletes what cannot be deleted now.
        try await BlockingThread.run(named: "removal") { try? removal.finish() }
        return Response(.noContent)
      }
      .answering(.noContent, "The job is deleted").refusing(.notFound, .notFound)
      .refusing(.conflict, .wrongState),
    ]
  }
}
