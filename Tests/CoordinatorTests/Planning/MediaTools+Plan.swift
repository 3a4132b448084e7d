import Preparation

extension MediaTools {
  /// Plans a project in its submitter's turn, and does nothing else when it begins.
  func plan(_ request: PlanningRequest, for submitter: String?) async throws -> PlanFacts {
    try await plan(request, for: submitter) {}
  }
}
