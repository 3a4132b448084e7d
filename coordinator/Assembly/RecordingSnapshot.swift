import Crypto
import FarmAPI
import Foundation
import Preparation
import Recording
import Threads

/// Makes an asset of the committed fragments of a recording, so that a project can use it while it is being recorded.
///
/// The asset is an ordinary file that does not change, so a job treats it like any other file. Later fragments are only
/// in the assets of later jobs.
struct RecordingSnapshot: Sendable {
  let id: String
  let shop: Workshop

  /// Adds a file of the recording to the asset store: a finished file, or one that is made of the committed fragments.
  ///
  /// - Parameters:
  ///   - number: the index of the file; a recording has more than one if its format changes.
  ///   - name: the asset's name in messages.
  ///   - submitter: the submitter of the job that needs the asset. Submitters take turns.
  /// - Throws: ``JobError``, or `StorageError` if the disk is full or fails.
  func take(
    file number: Int, named name: String, atMost limit: FetchLimit, for submitter: String?
  ) async throws -> AssetReference {
    let (id, shop) = (id, shop)
    let status = try await shop.recording(id, named: name)
    guard status.outputs.isEmpty else {
      guard status.outputs.indices.contains(number) else {
        throw Self.missing(number, of: status.outputs.count, name)
      }
      return try await keepCopy(
        of: .output(number, ofRecording: id), as: status.outputs[number], named: name,
        atMost: limit, for: submitter)
    }
    let fragments = try await shop.farm.fragments(ofRecording: id)
    guard !fragments.isEmpty else {
      throw JobError(
        .assetUnreachable,
        status.state.isFinal
          ? "\(name): recording '\(id)' ended before anything was recorded: use another recording"
          : "\(name): recording '\(id)' has no fragment yet: once it has, submit the project again")
    }
    let byteCount = fragments.reduce(0) { $0 + Int64($1.fragment.byteCount) }
    guard byteCount <= limit.byteCount else { throw limit.error }
    return try await shop.snapshots.run(for: submitter) {
      try await join(
        status, fragments, byteCount, file: number, named: name, atMost: limit, for: submitter)
    }
  }

  /// Joins the committed fragments.
  private func join(
    _ status: RecordingStatus, _ fragments: [StoredFragment], _ byteCount: Int64, file number: Int,
    named name: String, atMost limit: FetchLimit, for submitter: String?
  ) async throws -> AssetReference {
    let folder = "\(shop.directory.uploads)/recording-\(SecureRandom.token(bytes: 12))"
    let output = "\(folder)/files"
    try await shop.assureRoom(toJoin: byteCount)
    try await shop.threads.run {
      try JobInputs.makeEmpty(folder)
      try RecordingStore.makeFolder(output)
    }
    let outcome: Result<AssetReference, any Error>
    do {
      let parts = try await shop.lend(fragments, ofRecording: id, at: "\(folder)/parts")
      let contents = try await shop.tools.join(
        JoiningRequest(
          recording: id, parts: status.parts, fragments, in: parts,
          splitEvery: status.splitLength, to: output))
      guard contents.indices.contains(number) else {
        throw Self.missing(number, of: contents.count, name)
      }
      outcome = .success(
        try await keep(
          "\(output)/\(number).mp4", as: contents[number], atMost: limit, for: submitter))
    } catch {
      outcome = .failure(error)
    }
    try? await shop.threads.run { try FileManager.default.removeItem(atPath: folder) }
    return try outcome.get()
  }

  private static func missing(_ number: Int, of count: Int, _ name: String) -> JobError {
    JobError(
      .assetUnreachable,
      "\(name): the recording has no file \(number + 1) (it has \(count)): correct the number in the "
        + "project")
  }

  /// Moves a file that was made for this asset into the store.
  private func keep(
    _ path: String, as content: WrittenContent, atMost limit: FetchLimit, for submitter: String?
  ) async throws -> AssetReference {
    guard content.byteCount <= limit.byteCount else { throw limit.error }
    return try await shop.hashing.run(for: submitter) { [files = shop.files] in
      try await BlockingThread.run(named: "recorded") {
        try files.keep(path, writtenAs: content)
      }
    }
  }

  /// Copies a finished file into the store.
  private func keepCopy(
    of stored: StoredObject, as output: OutputFile, named name: String, atMost limit: FetchLimit,
    for submitter: String?
  ) async throws -> AssetReference {
    guard output.byteCount <= limit.byteCount else { throw limit.error }
    let copy = "\(shop.directory.uploads)/recorded-\(SecureRandom.token(bytes: 12))"
    return try await shop.hashing.run(for: submitter) {
      [space = shop.space, files = shop.files, outputs = shop.outputs] in
      try await BlockingThread.run(named: "recorded") {
        // It is moved into the store, unless the store has the asset already.
        defer { unlink(copy) }
        try space.assure(output.byteCount)
        guard let path = try outputs.localPath(of: stored) else {
          throw JobError(.assetUnreachable, "\(name): the file of the recording is missing")
        }
        do {
          try FileManager.default.copyItem(atPath: path, toPath: copy)
        } catch {
          throw JobError(
            .assetUnreachable,
            "\(name): the file of the recording cannot be copied: \(error.localizedDescription): check the "
              + "coordinator's data directory")
        }
        try files.keep(copy, as: output.sha256, isConfirmed: false)
        return AssetReference(digest: output.sha256, byteCount: output.byteCount)
      }
    }
  }
}
