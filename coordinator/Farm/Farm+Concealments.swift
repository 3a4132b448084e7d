import Crypto
import FarmAPI
import Planning
import Scheduling
import Timeline

/// The parts of files that show or play concealed damage.
extension Farm {
  /// The number of jobs whose damaged assets' names are kept in memory.
  private static let namedJobs = 256

  /// Some of the concealed parts of a job's file, in order of time: first the pictures, then the sound.
  ///
  /// - Parameters:
  ///   - skipped: the number of parts before them.
  ///   - limit: at most so many.
  func concealments(
    of id: JobID, after skipped: Int, limit: Int, for caller: Caller
  ) throws -> [ConcealedMedia] {
    _ = try row(of: id, for: caller)
    return try concealments(of: id, after: skipped, limit: limit)
  }

  /// Some of the concealed parts of a job's file, for callers that may see the job.
  func concealments(of id: JobID, after skipped: Int, limit: Int) throws -> [ConcealedMedia] {
    let found = try ledger.concealments(of: id, after: skipped, limit: limit)
    let names = try names(of: Set(found.map(\.asset)), in: id)
    return found.map { concealment in
      ConcealedMedia(
        asset: names[concealment.asset] ?? concealment.asset.description,
        time: concealment.time.seconds, firstFrame: concealment.frames?.lowerBound,
        frameCount: concealment.frames?.count, duration: concealment.duration?.seconds)
    }
  }

  /// The names of a job's damaged assets.
  ///
  /// Reading a name from the ledger takes as long as reading the names of all files of the project, so the few names that
  /// a status needs are kept.
  private func names(of assets: Set<Digest>, in id: JobID) throws -> [Digest: String] {
    if let known = damagedNames[id], assets.allSatisfy({ known[$0] != nil }) { return known }
    var names: [Digest: String] = [:]
    for (name, asset) in try ledger.assets(of: id)
    where assets.contains(asset.digest) && names[asset.digest] == nil {
      names[asset.digest] = name
    }
    for asset in assets where names[asset] == nil { names[asset] = asset.description }
    guard names.count <= JobStatus.concealedLimit else { return names }
    if damagedNames.count >= Self.namedJobs { damagedNames = [:] }
    damagedNames[id] = names
    return names
  }
}
