import Crypto
import FarmAPI
import HTTP

/// Brings assets to the coordinator, as far as it lacks them.
package struct AssetUpload: Sendable {
  private let farm: FarmConnection
  private let display: ProgressDisplay

  /// How often an upload goes on after its connection was lost.
  private static let tries = 5

  /// Uploads to a farm, showing progress.
  package init(to farm: FarmConnection, display: ProgressDisplay) {
    self.farm = farm
    self.display = display
  }

  /// Uploads each file whose content the coordinator lacks, going on where an earlier upload ended.
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
    for attempt in 1... {
      do {
        let outcome = try await farm.upload(
          asset.path, as: asset.reference, from: offset
        ) { [display] sent in
          display.show(ProgressLine(transfer: "uploading", done: before + sent, total: total))
        }
        switch outcome {
        case .complete: return
        case .goOn(let expected): offset = expected
        }
      } catch let failure as CommandFailure
        where failure.exitCode == .coordinatorUnreachable && attempt < Self.tries
      {
        try await Task.sleep(for: .seconds(1))
        guard let expected = try await farm.uploaded(asset.reference.digest) else { return }
        offset = expected
      }
      guard attempt < Self.tries else { break }
    }
    throw CommandFailure(
      .failed, "cannot upload the asset", on: asset.path,
      remedy: "submit again; the upload goes on where it ended")
  }
}
