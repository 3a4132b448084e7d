import FarmAPI
import Foundation
import HTTP

/// Calls that change a job or a worker.
extension FarmConnection {
  package func cancel(_ id: String) async throws -> JobStatus {
    try await act("cancel", on: id) { $0 == .cancelled }
  }

  /// Runs a failed or cancelled job again.
  package func retry(_ id: String) async throws -> JobStatus {
    try await act("retry", on: id) { !$0.isFinal || $0 == .completed }
  }

  /// Removes a job that has ended, with its file.
  package func delete(_ id: String) async throws {
    let path = "/jobs/\(escape(id))"
    try await persist {
      try await client.send(ClientRequest(.delete, url(path)))
    } reading: { response, isRepeated in
      // An earlier attempt may already have deleted it.
      if isRepeated, response.status == .notFound { return }
      try check(response, of: path)
    }
  }

  /// Sets the priority of a job's segments.
  package func setPriority(_ priority: Int, of id: String) async throws -> JobStatus {
    let path = "/jobs/\(escape(id))/priority"
    let body = try FarmCoding.encode(["priority": priority])
    return try await persist {
      try await client.send(
        ClientRequest(
          .put, url(path), headers: ["Content-Type": "application/json"], body: body))
    } reading: { response, _ in
      try read(response, of: path)
    }
  }

  /// Stops giving leases to a worker.
  package func drain(worker id: String) async throws -> WorkerStatus {
    try await change(worker: id, "drain")
  }

  /// Gives leases to a distrusted, draining or set-aside worker again.
  package func resume(worker id: String) async throws -> WorkerStatus {
    try await change(worker: id, "resume")
  }

  private func change(worker id: String, _ action: String) async throws -> WorkerStatus {
    let path = "/workers/\(escape(id))/\(action)"
    return try await persist {
      try await client.send(ClientRequest(.post, url(path)))
    } reading: { response, _ in
      try read(response, of: path)
    }
  }

  /// Posts an action on a job.
  ///
  /// - Parameter hasHappened: whether a job in a state shows that an earlier, unanswered attempt succeeded.
  private func act(
    _ action: String, on id: String, hasHappened: (JobState) -> Bool
  ) async throws -> JobStatus {
    let path = "/jobs/\(escape(id))/\(action)"
    let outcome: JobStatus? = try await persist {
      try await client.send(ClientRequest(.post, url(path)))
    } reading: { response, isRepeated in
      // An earlier attempt may already have succeeded.
      if isRepeated, response.status == .conflict { return nil }
      return try read(response, of: path)
    }
    if let outcome { return outcome }
    let job = try await job(id)
    guard hasHappened(job.state) else {
      throw CommandFailure(
        .failed, "cannot \(action) the job", on: id, remedy: "it is already \(job.state.rawValue)")
    }
    return job
  }
}
