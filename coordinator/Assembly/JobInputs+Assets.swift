import Crypto
import FarmAPI
import Preparation

/// The files of a job's assets.
extension JobInputs {
  /// Returns the file of an asset with its block digests. Messages call the asset `name`.
  func file(of asset: AssetReference, named name: String) async throws -> AssetFile {
    try await AssetSupply(job: id, submitter: submitter, shop: shop).file(of: asset, named: name)
  }

  /// Checks that the files under media roots have not changed since the job was planned.
  func assureUnchanged() async throws {
    for asset in submission.assets {
      guard let reference = asset.reference, reference.path != nil else { continue }
      _ = try await file(of: reference, named: asset.shown)
    }
  }

  /// The files of the assets in a mix, by asset.
  func files(of sound: PlanFacts.Sound) async throws -> [String: AssetFile] {
    let references = references
    var files: [String: AssetFile] = [:]
    for source in sound.sources {
      guard let reference = references[source.asset] else {
        throw JobError(
          .missingAsset, "\(source.name): the submission does not state its digest"
        )
      }
      files[source.asset.description] = try await file(of: reference, named: source.name)
    }
    return files
  }

  /// Adds the files of the assets to which chunks refer.
  ///
  /// - Throws: ``JobError`` if the plan names an asset that is not the project's.
  func referToCopiedAssets(of plan: inout PlanFacts) throws {
    let (references, names) = (references, shownNames)
    plan.copiedAssets = try plan.copiedAssets?.map { asset in
      guard let reference = references[asset.asset] else {
        throw JobError(
          .missingAsset, "\(asset.asset): the submission does not state this digest")
      }
      return PlanFacts.CopiedAsset(
        asset: asset.asset, name: names[asset.asset] ?? "\(asset.asset)", reference: reference)
    }
  }

  /// The files of the assets to which chunks refer.
  func copiedAssets(of plan: PlanFacts) async throws -> [ReferencedAsset] {
    var assets: [ReferencedAsset] = []
    for asset in plan.copiedAssets ?? [] {
      guard let name = asset.name, let reference = asset.reference else {
        throw JobError.damagedPlan("an asset to which chunks refer has no file")
      }
      assets.append(
        ReferencedAsset(
          name: name, digest: asset.asset, file: try await file(of: reference, named: name)))
    }
    return assets
  }

  /// The assets that a plan's segments use, each with the digest of its list of block digests.
  func leasedAssets(of plan: PlanFacts) async throws -> [LeasedAsset] {
    var references = references
    for picture in plan.pictures { references[picture.digest] = picture }
    let names = shownNames
    var assets: [LeasedAsset] = []
    for digest in plan.assets {
      let name = names[digest] ?? "the picture or excerpt \(digest)"
      guard let reference = references[digest] else {
        throw JobError(
          .missingAsset, "\(name): the submission does not state its digest")
      }
      if let blocks = try await file(of: reference, named: name).blocks {
        assets.append(LeasedAsset(reference, blocks: blocks.digest))
      }
    }
    return assets
  }

  /// The names of the project's assets in messages.
  private var shownNames: [Digest: String] {
    let names = submission.assets.compactMap { asset in
      asset.reference.map { ($0.digest, asset.shown) }
    }
    return Dictionary(names) { _, last in last }
  }

  /// The files of the project's assets.
  var references: [Digest: AssetReference] {
    let references = submission.assets.compactMap(\.reference)
    return Dictionary(references.map { ($0.digest, $0) }) { first, _ in first }
  }
}
