import Crypto
import FarmAPI
import Foundation
import Planning
import Timeline

/// What a job is made of: its project and its assets.
struct JobInputs: Sendable {
  let submission: JobSubmission
  let shop: Workshop

  /// Probes the assets and lays out the segments.
  func plan() async throws -> Plan {
    let text = submission.project
    let document = try await BlockingThreads.runLong("parse") {
      try ProjectDocument.parse([UInt8](text.utf8))
    }
    var indexes: [String: MediaIndex] = [:]
    var digests: [String: Digest] = [:]
    try await withThrowingTaskGroup(of: (String, Digest, MediaIndex).self) { group in
      for (name, asset) in document.assets {
        guard let reference = submission.assets[asset.path] else {
          throw JobError("missing-asset", "\(asset.path): the submission does not say its digest")
        }
        group.addTask {
          (name, reference.digest, try await index(of: reference, named: asset.path))
        }
      }
      for try await (name, digest, index) in group {
        indexes[name] = index
        digests[name] = digest
      }
    }
    return try await BlockingThreads.runLong("plan") { [indexes, digests] in
      let project = try document.project(indexes: indexes)
      return try Planner.plan(project, indexes: indexes, digests: digests)
    }
  }

  /// The media index of an asset, built now if it was not before.
  private func index(of asset: AssetReference, named name: String) async throws -> MediaIndex {
    let path = try await BlockingThreads.runLong("asset") { [files = shop.files] in
      try files.path(of: asset, named: name)
    }
    let cached = try await shop.threads.run { [indexes = shop.indexes] in
      indexes.index(of: asset.digest)
    }
    if let cached { return cached }
    let index = try await shop.tools.index(of: path, named: name)
    try await shop.threads.run { [indexes = shop.indexes] in
      try indexes.keep(index, of: asset.digest)
    }
    return index
  }

  /// Where the assets of a mix are.
  func files(of mix: MixDescription) async throws -> [String: String] {
    var references: [Digest: AssetReference] = [:]
    for asset in submission.assets.values { references[asset.digest] = asset }
    var files: [String: String] = [:]
    for source in mix.sources {
      guard let reference = references[source.asset] else {
        throw JobError("missing-asset", "\(source.name): the submission does not say its digest")
      }
      files[source.asset.description] = try await BlockingThreads.runLong("asset") {
        [shopFiles = shop.files] in
        try shopFiles.path(of: reference, named: source.name)
      }
    }
    return files
  }
}
