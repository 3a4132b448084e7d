import FarmAPI
import Foundation
import HTTP
import Preparation
import Threads

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
      } catch {
        outcome = Result { try findings(in: error) }
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
    let located = try await threads.run { [assets = submission.assets] in
      locate(assets, uploaded: uploaded)
    }
    submission.assets = located.assets
    var absent = located.absent
    for asset in submission.assets {
      guard let url = asset.url else { continue }
      let refusal = sources.refusal(of: url)
      absent[asset.name] = JobFailure(
        code: refusal == nil ? .assetUnreachable : .assetNotAllowed,
        message: refusal ?? Self.unfetched)
    }
    do {
      try await JobInputs(
        checking: submission, for: caller.name, limits: limits.planning, shop: workshop
      ).check(in: folder, "\(folder)/\(ReadingRequest.projectName)", without: absent)
    } catch let error as JobError where error.failure.code == .limitReached {
      // The job would be accepted, and fail.
      throw HTTPError(reading: JobError(.invalidProject, error.failure.message), in: directory.path)
    } catch let error as JobError {
      throw HTTPError(reading: error, in: directory.path)
    }
    return ProjectFindings(findings: [])
  }

  /// The remedy for a missing asset.
  static let remedy = ": upload it"

  /// The reason for a warning about an asset at a URL.
  private static let unfetched = "it is fetched and examined only when the job is planned"

  /// The findings that an error contains.
  ///
  /// - Throws: the error itself if it does not concern the project.
  private func findings(in error: any Error) throws -> ProjectFindings {
    guard let error = error as? HTTPError,
      error.problem.type == ProblemType.invalidProject.rawValue
    else { throw error }
    return ProjectFindings(
      findings: error.problem.detail.split(separator: "\n").map { line in
        var finding = ProjectFindings.Finding(line: String(line))
        finding.isWarning = finding.message.contains(Self.unfetched)
        if finding.isWarning || finding.message.contains(Self.remedy),
          let end = finding.message.lastIndex(of: ";")
        {
          // The general remedy for a file that cannot be read would only confuse.
          finding.message = String(finding.message[..<end])
        }
        return finding
      })
  }
}

extension ProjectFindings.Finding {
  /// Splits a finding's line into its path and its message. Keys in a path may be quoted, and contain any character.
  package init(line: String) {
    var isQuoted = false
    var end: String.Index?
    for index in line.indices {
      switch line[index] {
      case "\"": isQuoted.toggle()
      case " " where !isQuoted:
        end = index
      default: continue
      }
      if end != nil { break }
    }
    // A path has no space outside of quotes, and ends with a colon. Lines about the whole project have no path.
    guard let end, let colon = line.index(end, offsetBy: -1, limitedBy: line.startIndex),
      line[colon] == ":"
    else {
      self.init(path: "", message: line)
      return
    }
    self.init(
      path: String(line[..<colon]), message: String(line[line.index(after: end)...]))
  }
}
