import Crypto
import FarmAPI
import Foundation
import HTTP
import Preparation
import Scheduling

/// Checks files of each kind and handles damage.
extension Scrubber {
  func look(at subject: ScrubSubject) async throws {
    let digest = subject.digest
    switch subject.kind {
    case .asset: try await lookAtAsset(digest)
    case .chunk: try await lookAtChunk(digest)
    case .output:
      if let output = subject.output {
        try await lookAtOutput(output.object, of: output.job, digest)
      }
    case .project: try await lookAtProject(digest)
    case .plan: try await lookAtPlan(digest)
    case .blocks: try await lookAtBlocks(digest)
    case .index: try await lookAtIndex(digest)
    }
  }

  /// The store notifies the jobs that need the asset.
  private func lookAtAsset(_ digest: Digest) async throws {
    let verdict = try await read {
      try $0.assets.inspect(digest, fromDisk: true, pace: $0.keepPace)
    }
    if case .damaged = verdict { noteDamage() }
  }

  private func lookAtChunk(_ digest: Digest) async throws {
    let verdict = try await read {
      try $0.chunks.inspect(digest, fromDisk: true, pace: $0.keepPace)
    }
    guard verdict == .damaged else { return }
    noteDamage()
    try await farm.lose(chunk: digest)
  }

  /// Checks a finished file. If it is damaged or missing, its job fails, so that the file is never delivered. If a lost
  /// file is back, its job is completed again.
  private func lookAtOutput(
    _ output: StoredObject, of job: JobID, _ digest: Digest
  ) async throws {
    let verdict = try await read {
      try $0.outputs.inspect(output, digest, fromDisk: true, pace: $0.keepPace)
    }
    guard let problem = verdict.problem else {
      try await farm.recoverOutput(of: job, digest)
      return
    }
    // Another file may have taken its place.
    guard try await farm.loseOutput(of: job, digest, because: problem) else { return }
    noteDamage()
    try await read { $0.outputs.setAside(output, digest, after: verdict) }
  }

  /// A job that is not planned yet fails when its turn comes, with an error that names the project.
  private func lookAtProject(_ digest: Digest) async throws {
    let verdict = try await read {
      try $0.documents.inspect(.project(digest), fromDisk: true, pace: $0.keepPace)
    }
    if verdict == .damaged { noteDamage() }
  }

  /// The jobs that need a damaged plan are planned again.
  private func lookAtPlan(_ digest: Digest) async throws {
    let verdict = try await read {
      try $0.documents.inspect(.plan(digest), fromDisk: true, pace: $0.keepPace)
    }
    guard verdict == .damaged else { return }
    noteDamage()
    await farm.losePlan(in: digest)
  }

  /// Damaged block digests are computed again from the asset.
  private func lookAtBlocks(_ digest: Digest) async throws {
    let isDamaged = try await read { scrubber in
      try scrubber.assets.blocks.isDamaged(digest, pace: scrubber.keepPace)
    }
    guard isDamaged else { return }
    noteDamage()
    log.error("the block digests of asset \(digest) are damaged: computing them again")
    let shared = try await farm.sharedAsset(digest)
    try await read { try $0.makeBlocks(of: digest, shared) }
  }

  /// Makes block digests from a stored asset, or else from the file under a media root. Without either, the damaged ones
  /// are removed.
  private func makeBlocks(of digest: Digest, _ shared: SharedAsset?) throws {
    if let size = assets.size(of: digest) {
      addBytes(size)
      // The store keeps the block digests of a sound asset, and moves a damaged one to the quarantine.
      let verdict = try assets.inspect(digest, fromDisk: true, pace: keepPace)
      if case .damaged = verdict { assets.blocks.remove(digest) }
    } else if let file = shared.flatMap({ try? OpenFile($0.path, throughLinks: false) }),
      let list = try hash(file), list.content == digest
    {
      try assets.blocks.keep(list)
    } else {
      assets.blocks.remove(digest)
    }
  }

  /// The block digests of a file; `nil` if it cannot be read.
  private func hash(_ opened: OpenFile) throws -> BlockDigests? {
    defer { withExtendedLifetime(opened) {} }
    guard let file = PacedReading("/proc/self/fd/\(opened.descriptor)") else { return nil }
    addBytes(file.byteCount)
    var hasher = BlockHasher()
    do throws(PacedReading.Failure) {
      try file.forEachBlock(pace: keepPace) { _, bytes in
        hasher.update(bytes)
        return true
      }
    } catch {
      guard case .interrupted(let error) = error else { return nil }
      throw error
    }
    return hasher.finalize()
  }

  /// A damaged media index is removed, and built again when it is needed.
  private func lookAtIndex(_ digest: Digest) async throws {
    let isDamaged = try await read { scrubber in
      try scrubber.indexes.isDamaged(digest, pace: scrubber.keepPace)
    }
    guard isDamaged else { return }
    noteDamage()
    log.error(
      "the media index of asset \(digest) is damaged and was removed: it is rebuilt when needed")
    try await read { $0.indexes.remove(digest) }
  }
}
