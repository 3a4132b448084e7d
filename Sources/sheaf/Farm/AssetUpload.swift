import Crypto
import FarmAPI
import HTTP
import Preparation
import Threads

/// Uploads the assets that the coordinator lacks.
package struct AssetUpload: Sendable {
  private let farm: FarmConnection
  private let display: ProgressDisplay

  /// The number of times that an asset may arrive damaged.
  private static let damageLimit = 3

  package init(to farm: FarmConnection, display: ProgressDisplay) {
    self.farm = farm
    self.display = display
  }

  /// Uploads each file whose content the coordinator lacks, continuing where an earlier upload stopped.
  package func upload(_ assets: [HashedAsset]) async throws {
    var seen: Set<Digest> = []
    var missing: [(asset: HashedAsset, offset: Int64)] = []
    for asset in assets where seen.insert(asset.reference.digest).inserted {
      if let offset = try await farm.uploaded(asset.reference.digest) {
        missing.append((asset, offset))
      }
    }
    let total = missing.reduce(0) { $0 + $1.asset.reference.byteCount }
    var done: Int64 = 0
    for (asset, offset) in missing {
      try await upload(asset, from: offset, before: done, total: total)
      done += asset.reference.byteCount
    }
  }

  private func upload(
    _ asset: HashedAsset, from start: Int64, before: Int64, total: Int64
  ) async throws {
    var offset = start
    var damages = 0
    var perseverance = farm.perseverance
    while true {
      do {
        let outcome = try await farm.upload(
          asset.path, as: asset.reference, from: offset
        ) { [display] sent in
          display.show(ProgressLine(transfer: "uploading", done: before + sent, total: total))
        }
        switch outcome {
        case .complete: return
        case .goOn(let expected) where expected != offset: break
        case .goOn, .underWay:
          guard try await perseverance.wait() else { throw stuck(asset) }
        case .damaged:
          damages += 1
          let cache = await MediaCache.opened()
          try await BlockingThread.run(named: "cache") { cache?.forget(asset.path) }
          if damages >= Self.damageLimit {
            throw CommandFailure(
              .failed, "the uploaded bytes differ from those that were hashed",
              on: asset.path,
              remedy: "check the network, and submit again when nothing writes to the file")
          }
        }
      } catch let failure as TransientFailure {
        try await farm.wait(after: failure, &perseverance)
      }
      guard let there = try await farm.uploaded(asset.reference.digest) else { return }
      display.show(ProgressLine(transfer: "uploading", done: before + there, total: total))
      if there > offset { perseverance.succeeded() }
      offset = there
    }
  }

  private func stuck(_ asset: HashedAsset) -> CommandFailure {
    CommandFailure(
      .failed, "another upload of the same asset has stalled", on: asset.path,
      remedy: "submit again; the upload continues where it stopped")
  }
}
