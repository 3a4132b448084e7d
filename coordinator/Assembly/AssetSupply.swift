import Crypto
import FarmAPI
import Foundation
import Preparation
import Scheduling
import Threads
import Timeline

/// Fetches and hashes the assets of a job's project. This may take long, so it does not hold the job's submission in
/// memory.
struct AssetSupply: Sendable {
  let job: JobID
  let submitter: String?
  let shop: Workshop

  /// Fetches an asset at a URL unless it is stored, or hashes a file under a media root unless its digest is known.
  ///
  /// - Parameter isPlanned: whether the job is planned. If not, messages call the asset by its name in the project.
  /// - Throws: ``JobError`` that names the asset.
  func supply(_ asset: ProjectAsset, isPlanned: Bool) async throws {
    if let url = asset.url {
      // In a sequence, the name of an asset is its URL.
      let isNamed = !isPlanned && (try? AssetURL(asset.name)) == nil
      try await fetch(url, known: asset.reference, named: isNamed ? asset.name : url.shown)
    } else if let reference = asset.reference {
      _ = try await file(of: reference, named: asset.shown)
    }
  }

  /// Fetches an asset from its URL unless it is stored. All parts of a job use the same bytes, so the job fails if the
  /// content at the URL has changed since it started.
  private func fetch(
    _ url: AssetURL, known: AssetReference?, named name: String
  ) async throws {
    if let known {
      let isHere = try await shop.threads.run { [files = shop.files] () throws in
        try files.hasStored(known)
      }
      if isHere { return }
    }
    let limit = try await shop.farm.admitFetch(of: url, known, for: job)
    let asset =
      if let recording = url.recording {
        try await RecordingSnapshot(id: recording.id, shop: shop)
          .take(file: recording.file, named: name, atMost: limit, for: submitter)
      } else {
        try await shop.fetcher.fetch(url, named: name, atMost: limit, for: submitter)
      }
    do {
      guard known == nil || known?.digest == asset.digest else {
        throw JobError(
          .assetChanged,
          "\(AssetFetcher.subject(url, named: name)): the file changed after the job started: "
            + "submit the project again")
      }
      try await shop.farm.keep(asset, fetchedFrom: url, for: job)
    } catch {
      await shop.farm.withdraw(asset.digest)
      throw error
    }
  }

  /// Returns the file of an asset with its block digests. Messages call the asset `name`. A file under a media root is
  /// hashed if it has changed since it was last hashed.
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
/// A job that fetches assets holds this in memory. It stops fetching when the messages take some kilobytes, because
/// even one failure makes the job fail.
struct MissingAssets: Sendable {
  /// The failures by the asset's path or URL.
  private(set) var failures: [String: JobFailure] = [:]
  /// The index of the first asset that was not fetched or hashed because too many others had failed.
  private(set) var end = Int.max
  private var byteCount = 0

  private static let byteLimit = 16 << 10

  /// Whether the limit on messages is reached.
  var isFull: Bool { byteCount >= Self.byteLimit }

  /// Records the failure of an asset.
  mutating func note(_ failure: JobFailure, of asset: ProjectAsset) {
    byteCount += asset.place.utf8.count + failure.message.utf8.count
    failures[asset.place] = failure
  }

  /// Records that no assets from an index on will be fetched or hashed.
  mutating func stop(before index: Int) { end = index }

  /// The failure of an asset, or `nil` if it did not fail.
  ///
  /// - Parameter isReady: whether the asset needed no fetching or hashing.
  func failure(of asset: ProjectAsset, at index: Int, isReady: Bool) -> JobFailure? {
    if let failure = failures[asset.place] { return failure }
    guard index >= end, !isReady else { return nil }
    return JobFailure(
      code: .assetUnreachable,
      message: "\(asset.shown): not fetched or read, because too many other files failed")
  }
}

extension JobError {
  /// The codes of errors that mean that an asset is missing or damaged, or is not the one that the project names.
  static let ofAssets: Set<FailureCode> = [
    .assetUnreachable, .assetNotAllowed, .assetTooLarge, .assetChanged, .missingAsset,
    .damagedAsset,
  ]
}
