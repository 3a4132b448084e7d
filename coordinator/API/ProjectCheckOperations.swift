import FarmAPI
import Foundation
import HTTP
import Preparation
import ProjectFormat
import Threads
import Timeline

extension Services {
  /// The route that checks a project without creating a job.
  var projectCheckOperations: [Operation] {
    [
      Operation(
        .post, "/api/v1/projects/check", "Find the problems of a project without creating a job",
        for: .submitters,
        open: { head, _ in try await openSubmission(head) },
        { head, caller, upload in
          try .wire(try await check(upload, head, for: caller))
        }
      )
      .taking(
        .json(.jobSubmission),
        Operation.Parameter(
          name: ContentDigest.headerName, place: "header",
          summary: "The body's SHA-256 (RFC 9530); a body that does not match is rejected",
          isRequired: false)
      )
      .answering(
        .ok, "The findings. Missing assets are findings, and stored ones are examined.",
        .json(.projectFindings)
      )
      .refusing(.contentTooLarge, .limitReached)
    ]
  }

  /// Checks a submission in its submitter's turns and within its quotas, as if it had become a job.
  private func check(
    _ upload: SubmissionUpload, _ head: RequestHead, for caller: Caller
  ) async throws -> ProjectFindings {
    let digest = upload.digest()
    guard
      head.headers[ContentDigest.headerName].map({ ContentDigest.holds($0, for: digest) }) ?? true
    else { throw HTTPError.damagedRequest }
    return try await checking.run(for: caller.name) {
      let folder = "\(upload.path)-check"
      let outcome: Result<ProjectFindings, any Error>
      do {
        // Only reading takes a place: submissions would wait while this one is planned.
        let submission = try await reception.run(for: caller.name, byteCount: upload.byteCount) {
          try await read(upload, digest, in: folder, for: caller)
        }
        outcome = .success(try await findings(on: submission, in: folder, for: caller))
      } catch let error as ProjectError {
        outcome = .success(ProjectFindings(error, hiding: directory.path))
      } catch let error as JobError {
        outcome =
          SubmissionRefusal(error.failure.code) == .invalidProject
          ? .success(ProjectFindings(error, hiding: directory.path))
          : .failure(HTTPError(reading: error, in: directory.path))
      } catch {
        outcome = .failure(error)
      }
      try? await threads.run { try FileManager.default.removeItem(atPath: folder) }
      return try outcome.get()
    }
  }

  private func findings(
    on submission: SubmissionFacts, in folder: String, for caller: Caller
  ) async throws -> ProjectFindings {
    var submission = submission
    try checkCount(of: submission)
    let uploads = Set(submission.assets.filter { !$0.isRemote }.compactMap(\.reference?.digest))
    let uploaded = try await farm.visible(uploads, to: caller)
    let located = try await threads.run { [assets = submission.assets] () throws in
      try locate(assets, uploaded: uploaded)
    }
    submission.assets = located.assets
    var absent = located.absent
    let refusals = try await refusals(
      ofRecordings: submission.assets.compactMap(\.url), for: caller)
    for asset in submission.assets {
      guard let url = asset.url else { continue }
      let refusal = url.recording.flatMap { refusals[$0.id] } ?? sources.refusal(of: url)
      absent[asset.name] = refusal.map(AbsentAsset.notAllowed) ?? .unfetched
    }
    do {
      try await JobInputs(
        checking: submission, for: caller.name, limits: limits.planning, shop: workshop
      ).check(
        in: folder, "\(folder)/\(ReadingRequest.projectName)",
        without: absent.mapValues(\.failure))
    } catch let error as ProjectError {
      return ProjectFindings(error, without: absent, hiding: directory.path)
    } catch let error as JobError where error.failure.code == .limitReached {
      // The job would be accepted, and fail.
      return ProjectFindings(error, hiding: directory.path)
    }
    return ProjectFindings(findings: [])
  }
}

extension ProjectFindings {
  /// The findings of a project.
  ///
  /// - Parameters:
  ///   - absent: the assets that the coordinator does not have, by their names in the project.
  ///   - directory: the coordinator's data directory, which the findings must not show.
  fileprivate init(
    _ error: ProjectError, without absent: [String: AbsentAsset] = [:], hiding directory: String
  ) {
    self.init(
      findings: error.findings.map { finding in
        let absence = finding.asset.flatMap { absent[$0] }
        let problem = PublicMessage.forSubmitters(finding.problem, data: directory)
        let remedy = PublicMessage.forSubmitters(finding.remedy, data: directory)
        var shown = Finding(
          path: finding.path.description, steps: finding.path.steps,
          message: "\(problem); \(remedy)")
        // The general remedy for a file that cannot be read would only confuse.
        switch absence {
        case .missing(let digest, _):
          shown.message = problem
          shown.missingAsset = digest
        case .unfetched:
          shown.message = problem
          shown.isWarning = true
        case .notAllowed, nil: break
        }
        return shown
      })
    if let omission = error.omission { findings.append(Finding(message: omission)) }
  }

  /// The finding for a project that cannot be read or planned for a reason that is not in one of its values.
  fileprivate init(_ error: JobError, hiding directory: String) {
    let message = PublicMessage.forSubmitters(error.failure.message, data: directory)
    self.init(findings: [Finding(message: message)])
  }
}
