import FarmAPI
import Foundation
import Planning
import Preparation
import Timeline

/// Earlier versions kept a job's project and plan in the ledger. They are moved into files, by child processes, because
/// the coordinator does not read them.
extension JobRun {
  /// Moves what an earlier version kept of the job in the ledger into files.
  func adopt() async throws {
    let old = try await shop.farm.unadopted(id)
    if let submission = old.submission { try await adopt(submission: submission) }
    guard let plan = old.plan else { return }
    do {
      try await adopt(plan: plan)
    } catch let error as JobError where !RunTries.isPassing(error) {
      // The project is there, so the job loses no more than time.
      shop.log.error("job \(id): \(error)")
      try await shop.farm.dropPlan(of: id)
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
        submission: "\(directory)/submission", directory: directory, depth: 512,
        byteLimit: ProjectDocument.byteLimit, limits: limits), for: nil)
    try await shop.threads.run { [documents = shop.documents] in
      try documents.keep(
        "\(directory)/\(ReadingRequest.projectName)", read.project,
        as: documents.project(read.project))
    }
    try await shop.farm.adopt(read, of: id)
  }

  private func adopt(plan: Data) async throws {
    let directory = "\(work.planning)/old-plan"
    try await shop.threads.run {
      try JobInputs.makeEmpty(directory)
      try plan.write(to: URL(fileURLWithPath: "\(directory)/frozen"))
    }
    let submission = try await shop.farm.submission(of: id)
    let sources = submission.assets.compactMap { asset in
      asset.reference.map {
        PlanningRequest.Source(
          name: asset.name, shown: asset.shown, reference: $0, index: nil, image: nil)
      }
    }
    let request = PlanningRequest(
      project: "\(directory)/frozen", isFrozenPlan: true, sources: sources, unreadable: [:],
      absent: [], directory: directory, limits: limits)
    let facts = try await shop.tools.plan(request, for: nil)
    // The pictures are in the store since the job was planned.
    let work = JobWork(submission: submission, submitter: nil, plan: nil, limits: limits)
    try await JobInputs(work, of: id, shop: shop)
      .keep(facts, from: directory, withPictures: false)
  }

  /// The job was within the limits of the version that accepted it, which had none of these.
  private var limits: PlanningLimits {
    var limits = shop.limits
    limits.memory = max(limits.memory, 4 << 30)
    limits.seconds = max(limits.seconds, 600)
    (limits.values, limits.files, limits.clips, limits.tracks) = (.max, .max / 16, .max, .max)
    (limits.segments, limits.segmentBytes) = (.max, .max)
    return limits
  }
}
