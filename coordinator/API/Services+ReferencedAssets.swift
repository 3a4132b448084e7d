import Crypto
import FarmAPI
import Preparation
import Scheduling
import Threads

extension Services {
  /// The asset to which the chunk in a file refers; `nil` if it contains all its packets.
  ///
  /// - Throws: `JobError` if the asset is missing or has changed; `StorageError` if a file cannot be read now.
  func referencedAsset(
    ofChunk path: String, of id: JobID, for caller: Caller
  ) async throws -> ReferencedAsset? {
    let digest = try await threads.run {
      do {
        return try ReferenceTable.Target(ofFile: path)?.file
      } catch {
        throw StorageError(.unreadable, "\(error): try again")
      }
    }
    guard let digest else { return nil }
    guard let asset = try await farm.copiedAsset(digest, of: id), let name = asset.name,
      let reference = asset.reference
    else {
      throw JobError(
        .badChunk, "the chunk refers to the asset \(digest), which does not belong to its job")
    }
    let supply = AssetSupply(job: id, submitter: caller.name, shop: workshop)
    return ReferencedAsset(
      name: name, digest: digest, file: try await supply.file(of: reference, named: name))
  }
}
