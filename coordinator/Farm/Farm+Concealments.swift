import Crypto
import FarmAPI
import Planning
import Preparation
import Scheduling
import Timeline

/// A job's status without its first concealed parts, and those parts as the ledger stores them.
struct StoredStatus: Sendable {
  let status: JobStatus
  /// `nil` if the job's file conceals no damage.
  let concealed: ConcealmentPage?
}

/// The parts of files that show or play concealed damage.
extension Farm {
  /// The number of jobs whose damaged assets' names are kept in memory.
  private static let namedJobs = 256

  /// Some of the concealed parts of a job's file in order of time: first the pictures, then the sound. They are decoded
  /// outside the actor, because there may be tens of thousands.
  ///
  /// - Parameters:
  ///   - skipped: the number of parts to skip.
  ///   - limit: the maximum number of parts.
  nonisolated func concealments(
    of id: JobID, after skipped: Int, limit: Int, for caller: Caller
  ) async throws -> [ConcealedMedia] {
    let page = try await concealmentPage(of: id, after: skipped, limit: limit, for: caller)
    return try await decoded(page, of: id)
  }

  /// A job's status with its first concealed parts, which are decoded outside the actor.
  nonisolated func decoded(_ stored: StoredStatus) async throws -> JobStatus {
    guard let page = stored.concealed else { return stored.status }
    var status = stored.status
    status.concealed = try await decoded(page, of: JobID(rawValue: status.id))
    return status
  }

  private nonisolated func decoded(
    _ page: ConcealmentPage, of id: JobID
  ) async throws -> [ConcealedMedia] {
    let parts = try await LongCoding.run(byteCount: page.byteCount) { try page.parts() }
    guard !parts.isEmpty else { return [] }
    let names = try await names(of: Set(parts.map(\.asset)), in: id)
    return parts.map { ConcealedMedia($0, named: names) }
  }

  /// Records the report on a job's audio mix, which is encoded outside the actor.
  nonisolated func note(_ report: MixReport, of id: JobID) async throws {
    let concealed = try await LongCoding.run(byteCount: report.concealments.count << 7) {
      try StoredConcealments(report.concealments)
    }
    try await note(report.loudness, concealing: concealed, of: id)
  }

  private func note(
    _ loudness: LoudnessReport?, concealing concealed: StoredConcealments?, of id: JobID
  ) throws {
    try Task.checkCancellation()
    try write([.soundMixed(id, loudness, concealing: concealed)])
    changed(id)
  }

  private func concealmentPage(
    of id: JobID, after skipped: Int, limit: Int, for caller: Caller
  ) throws -> ConcealmentPage {
    _ = try row(of: id, for: caller)
    return try ledger.concealments(of: id, after: skipped, limit: limit)
  }

  /// The names of a job's damaged assets.
  private nonisolated func names(
    of assets: Set<Digest>, in id: JobID
  ) async throws -> [Digest: String] {
    if let known = await knownNames(of: assets, in: id) { return known }
    let stored = try await storedAssets(of: id)
    let read = try await LongCoding.run(byteCount: stored.byteCount) {
      try Farm.decodedNames(of: assets, in: stored)
    }
    await remember(read, of: id)
    return read
  }

  private static func decodedNames(
    of assets: Set<Digest>, in stored: StoredAssets
  ) throws -> [Digest: String] {
    var names: [Digest: String] = [:]
    for (name, asset) in try stored.decoded()
    where assets.contains(asset.digest) && names[asset.digest] == nil {
      names[asset.digest] = name
    }
    for asset in assets where names[asset] == nil { names[asset] = asset.description }
    return names
  }

  private func storedAssets(of id: JobID) throws -> StoredAssets {
    try ledger.storedAssets(of: id)
  }

  /// The names of a job's damaged assets, if all of them are in memory.
  private func knownNames(of assets: Set<Digest>, in id: JobID) -> [Digest: String]? {
    guard let known = damagedNames[id], assets.allSatisfy({ known[$0] != nil }) else { return nil }
    return known
  }

  /// Keeps the few names that a status needs, because reading one name from the ledger takes as long as reading the
  /// names of all files of the project.
  private func remember(_ names: [Digest: String], of id: JobID) {
    let all = (damagedNames[id] ?? [:]).merging(names) { _, new in new }
    // Pages other than the first may name other assets.
    guard all.count <= 10 * JobStatus.concealedLimit else { return }
    if damagedNames[id] == nil, damagedNames.count >= Self.namedJobs { damagedNames = [:] }
    damagedNames[id] = all
  }
}

extension ConcealedMedia {
  /// Describes a concealed part with the name of its asset.
  fileprivate init(_ part: Concealment, named names: [Digest: String]) {
    self.init(
      asset: names[part.asset] ?? part.asset.description, time: part.time.seconds,
      firstFrame: part.frames?.lowerBound, frameCount: part.frames?.count,
      duration: part.duration?.seconds)
  }
}
