import Crypto
import FarmAPI
import Foundation
import Preparation
import Scheduling
import Threads
import Timeline

/// Fetches and hashes the assets of a job's project. It holds nothing of the job's submission, so that this may take
/// long.
struct AssetSupply: Sendable {
  let job: JobID
  let submitter: String?
  let shop: Workshop

  /// Fetches an asset at a URL unless it is here, or hashes a file under a media root unless its digest is known.
  ///
  /// - Parameter isPlanned: whether the job is planned. If not, its asset is called by its name in the project.
  /// - Throws: ``JobError`` that names the asset.
  func supply(_ asset: ProjectAsset, isPlanned: Bool) async throws {
    if let url = asset.url {
      // In a sequence its URL is its name.
      let isNamed = !isPlanned && (try? AssetURL(asset.name)) == nil
      try await fetch(url, known: asset.reference, named: isNamed ? asset.name : url.shown)
    } else if let reference = asset.reference {
      _ = try await file(of: reference, named: asset.shown)
    }
  }

  /// Fetches an asset from its URL, unless it is here. A job that has begun has the bytes that came first, or none.
  private func fetch(
    _ url: AssetURL, known: AssetReference?, named name: String
  ) async throws {
    if let known {
      let isHere = try await shop.threads.run { [files = shop.files] in files.hasStored(known) }
      if isHere { return }
    }
    let limit = try await shop.farm.admitFetch(of: url, known, for: job)
    let asset = try await shop.fetcher.fetch(url, named: name, atMost: limit, for: submitter)
    do {
      guard known == nil || known?.digest == asset.digest else {
        throw JobError(
          JobError.assetChangedCode,
          "\(AssetFetcher.subject(url, named: name)): its bytes are others than when the job began: "
            + "submit the project again")
      }
      try await shop.farm.keep(asset, fetchedFrom: url, for: job)
    } catch {
      await shop.farm.withdraw(asset.digest)
      throw error
    }
  }

  /// Returns the file of an asset, called `name` in messages, with its block digests. A file under a media root is hashed if
  /// it is not known in its present state.
  func file(of asset: AssetReference, named name: String) async throws -> AssetFile {
    let files = shop.files
    let known = try await files.listReading.run(for: submitter) {
      try await BlockingThread.run(named: "asset") { try files.file(of: asset, named: name) }
    }
    if let known { return known }
    return try await shop.hashing.run(for: submitter) {
      try await BlockingThread.run(named: "hash") { isCancelled in
        try files.hashedFile(of: asset, named: name, isCancelled: isCancelled)
      }
    }
  }
}

/// An asset that has to be fetched or hashed before its project is planned.
struct UnreadyAsset: Sendable {
  /// Its index in the submission's list.
  let index: Int
  let asset: ProjectAsset
}

/// The assets of a project that could not be fetched or hashed.
///
/// A job that fetches holds this in memory, so it ends when its messages take some kilobytes: the job fails with any
/// one of them.
struct MissingAssets: Sendable {
  /// The failures by the asset's path or URL.
  private(set) var failures: [String: JobFailure] = [:]
  /// The index from which on no asset was fetched or hashed, because too many others had failed.
  private(set) var end = Int.max
  private var byteCount = 0

  private static let byteLimit = 16 << 10

  /// Whether no further failure can be noted.
  var isFull: Bool { byteCount >= Self.byteLimit }

  /// Notes the failure of an asset.
  mutating func note(_ failure: JobFailure, of asset: ProjectAsset) {
    byteCount += asset.place.utf8.count + failure.message.utf8.count
    failures[asset.place] = failure
  }

  /// Notes that no asset from an index on is fetched or hashed.
  mutating func stop(before index: Int) { end = index }

  /// The failure of an asset, or `nil` if it did not fail.
  ///
  /// - Parameter isReady: whether the asset was there before.
  func failure(of asset: ProjectAsset, at index: Int, isReady: Bool) -> JobFailure? {
    if let failure = failures[asset.place] { return failure }
    guard index >= end, !isReady else { return nil }
    return JobFailure(
      code: JobError.assetUnreachable,
      message: "\(asset.shown): it was not fetched or read, because too many other files failed")
  }
}

extension JobError {
  /// The errors of assets that are not there, or not those that the project names.
  static let ofAssets: Set<String> = [
    assetUnreachable, assetNotAllowed, assetTooLarge, assetChangedCode, "missing-asset",
  ]
}
