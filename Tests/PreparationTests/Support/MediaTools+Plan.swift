import Preparation

extension MediaTools {
  /// Plans a project when it is its submitter's turn, without a callback at the start.
  func plan(_ request: PlanningRequest, for submitter: String?) async throws -> PlanFacts {
    try await plan(request, for: submitter) {}
  }
}
