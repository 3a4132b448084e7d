import FarmAPI
import Foundation
import Preparation
import Scheduling
import Timeline

extension JobInputs {
  /// Creates the inputs of a check, which belong to no job.
  init(
    checking submission: SubmissionFacts, for submitter: String?, limits: PlanningLimits,
    shop: Workshop
  ) {
    self.init(
      submission, of: JobID(rawValue: "check"), for: submitter, limits: limits, shop: shop)
  }

  /// Takes every step to a plan of the project, and drops the plan.
  ///
  /// - Parameters:
  ///   - directory: an existing folder for the output of media processes.
  ///   - project: the file of the project's text.
  ///   - absent: the assets that cannot be used, by name.
  /// - Throws: `ProjectError` with all findings, or ``JobError``.
  func check(
    in directory: String, _ project: String, without absent: [String: JobFailure]
  ) async throws {
    do {
      try await plan(in: directory, project, absent)
    } catch let error as JobError where error.failure.code == .damagedIndex {
      try await dropIndexes(because: error)
      try await plan(in: directory, project, absent)
    }
  }

  private func plan(
    in directory: String, _ project: String, _ absent: [String: JobFailure]
  ) async throws {
    var absent = absent
    for asset in submission.assets where absent[asset.name] == nil {
      guard let reference = asset.reference else { continue }
      do {
        try await checkShared(reference, named: asset.shown)
      } catch let error as JobError where JobError.ofAssets.contains(error.failure.code) {
        absent[asset.name] = error.failure
      }
    }
    let (request, _) = try await planningRequest(in: directory, project, absent)
    _ = try await shop.tools.plan(request, for: submitter) {}
  }
}
