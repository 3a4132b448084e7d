import Crypto
import FarmAPI
import Foundation
import Preparation
import Recording
import Threads
import Timeline

/// A recording that a job follows, as far as it goes now.
struct FollowedRecording: Sendable {
  /// The path or URL of the asset in the submission.
  let place: String
  /// Whether it has ended and its file is made, or nothing else of it is used.
  let isComplete: Bool
  /// Its excerpts in order.
  let excerpts: [RecordedExcerpt]
}

/// Makes the excerpts of a recording that a job follows: files of consecutive fragments that are stored as assets, so
/// that workers can render them while later fragments are being recorded.
struct RecordingExcerpts: Sendable {
  let id: String
  /// The path or URL of the asset in the submission.
  let place: String
  /// The name in messages.
  let name: String
  let submitter: String?
  let shop: Workshop

  /// Makes the excerpts that are due and not stored.
  ///
  /// - Parameter isEnough: whether the job needs nothing that is recorded later.
  /// - Throws: ``JobError``, or `StorageError` if the disk is full or fails.
  func make(isEnough: Bool) async throws -> FollowedRecording {
    let status = try await RecordingSnapshot.status(of: id, named: name, shop)
    guard status.splitLength == nil else {
      throw JobError(
        .assetUnreachable,
        "\(name): a recording that is split cannot be followed: use recording://\(id) or one of its "
          + "other files")
    }
    let ranges = try await ranges(of: status)
    let known = try await shop.farm.excerpts(ofRecording: id)
    let made = Dictionary(known.map { ($0.range, $0) }) { first, _ in first }
    var excerpts: [RecordedExcerpt] = []
    for range in ranges {
      if let excerpt = made[range], try await isStored(excerpt) {
        excerpts.append(excerpt)
        continue
      }
      excerpts.append(try await make(range, of: status))
    }
    return FollowedRecording(
      place: place, isComplete: status.state.isFinal || isEnough, excerpts: excerpts)
  }

  /// Waits until more than this can be used: another excerpt, or the whole recording.
  ///
  /// - Throws: `CancellationError` if the job has ended, ``JobError`` if the recording was deleted.
  func waitForMore(than followed: FollowedRecording) async throws {
    guard !followed.isComplete else { return }
    var seen: RationalTime?
    while true {
      let status = try await RecordingSnapshot.status(of: id, named: name, shop)
      if status.state.isFinal { return }
      if seen != status.duration, try await ranges(of: status).count > followed.excerpts.count {
        return
      }
      seen = status.duration
      try await Task.sleep(for: Self.pause)
    }
  }

  /// The time between two looks at a recording.
  private static let pause = Duration.seconds(1)

  private func ranges(of status: RecordingStatus) async throws -> [ExcerptRange] {
    let fragments = try await shop.farm.fragments(ofRecording: id)
    return try ExcerptRange.all(
      of: status.parts,
      Dictionary(grouping: fragments, by: \.part).mapValues { $0.map(\.fragment) })
  }

  private func isStored(_ excerpt: RecordedExcerpt) async throws -> Bool {
    try await shop.threads.run { [files = shop.files] in
      files.hasStored(AssetReference(digest: excerpt.sha256, byteCount: excerpt.byteCount))
    }
  }

  /// Joins the fragments of an excerpt, and stores the file as an asset.
  private func make(
    _ range: ExcerptRange, of status: RecordingStatus
  ) async throws -> RecordedExcerpt {
    let numbers = range.first...range.last
    let fragments = try await shop.farm.fragments(ofRecording: id).filter {
      $0.part == range.part && numbers.contains($0.fragment.number)
    }
    let folder = "\(shop.directory.uploads)/excerpt-\(SecureRandom.token(bytes: 12))"
    let byteCount = fragments.reduce(0) { $0 + Int64($1.fragment.byteCount) }
    try await shop.threads.run { [space = shop.space] in
      try space.assure(byteCount)
      try JobInputs.makeEmpty(folder)
    }
    let outcome: Result<RecordedExcerpt, any Error>
    do {
      let contents = try await shop.tools.join(
        JoiningRequest(
          recording: id, parts: status.parts.filter { $0.number == range.part }, fragments,
          in: shop.directory.recording(id), splitEvery: nil, to: folder))
      guard let content = contents.first else {
        throw JobError(.mediaProcessFailed, "\(name): the media process returned no file")
      }
      let stored = try await shop.hashing.run(for: submitter) { [files = shop.files] in
        try await BlockingThread.run(named: "recorded") {
          try files.keep("\(folder)/0.mp4", writtenAs: content, isConfirmed: true)
        }
      }
      let excerpt = RecordedExcerpt(
        range: range, sha256: stored.digest, byteCount: stored.byteCount)
      try await shop.farm.note([.excerptMade(excerpt)], ofRecording: id)
      outcome = .success(excerpt)
    } catch {
      outcome = .failure(error)
    }
    try? await shop.threads.run { try FileManager.default.removeItem(atPath: folder) }
    return try outcome.get()
  }
}
