import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import ProjectFormat
import Timeline

/// Moves the projects and plans that earlier versions kept in the ledger into files. Child processes do this, because
/// the coordinator never reads projects or plans.
extension JobRun {
  /// Moves the job's project and plan into files if an earlier version kept them in the ledger.
  func adopt() async throws {
    let old = try await shop.farm.unadopted(id)
    if let submission = old.submission { try await adopt(submission: submission) }
    guard let plan = old.plan else { return }
    do {
      try await adopt(plan: plan)
    } catch let error as JobError where !RunTries.isPassing(error) {
      // The project is stored in its file, so the job can be planned again and loses only time.
      shop.log.error("\(error)", .job(id))
      try await shop.farm.dropPlan(of: id, because: "this version cannot read it")
    }
  }

  private func adopt(submission: Data) async throws {
    let directory = "\(work.planning)/old"
    try await shop.threads.run {
      try JobInputs.makeEmpty(directory)
      try submission.write(to: URL(fileURLWithPath: "\(directory)/submission"))
    }
    let read = try await shop.tools.read(
      ReadingRequest(
        submission: "\(directory)/submission", digest: .of(submission), directory: directory,
        depth: 512,
        byteLimit: ProjectDocument.byteLimit, limits: limits), for: nil)
    try await shop.threads.run { [documents = shop.documents] in
      try documents.keep(
        "\(directory)/\(ReadingRequest.projectName)", as: .project(read.project))
    }
    let stored = try await LongCoding.run(byteCount: submission.count) {
      try StoredSubmission(read)
    }
    try await shop.farm.adopt(stored, of: id)
  }

  private func adopt(plan: Data) async throws {
    let directory = "\(work.planning)/old-plan"
    try await shop.threads.run {
      try JobInputs.makeEmpty(directory)
      try plan.write(to: URL(fileURLWithPath: "\(directory)/draft"))
    }
    let submission = try await shop.farm.submission(of: id)
    let facts = try await shop.tools.freeze(
      FreezingRequest(
        draft: "\(directory)/draft", digest: .of(plan), directory: directory, limits: limits,
        // The chunks that exist contain all their packets.
        hasAssetsOnDisk: false),
      for: nil)
    // The pictures were stored when the job was planned.
    let work = JobWork(submission: submission, submitter: nil, plan: nil, limits: limits)
    try await JobInputs(work, of: id, shop: shop)
      .keep(facts, from: directory, picturesFrom: nil)
  }

  /// Unlimited, because the version that accepted the job had none of these limits.
  private var limits: PlanningLimits {
    var limits = shop.limits
    limits.memory = max(limits.memory, 4 << 30)
    limits.seconds = max(limits.seconds, 600)
    (limits.values, limits.files, limits.clips, limits.tracks) = (.max, .max / 16, .max, .max)
    (limits.segments, limits.segmentBytes) = (.max, .max)
    return limits
  }
}
