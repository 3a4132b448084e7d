import Crypto
import FarmAPI
import Foundation
import Preparation
import Recording
import Scheduling
import Threads
import Timeline

/// Makes the excerpts of a recording that a job follows: files of consecutive fragments that are stored as assets, so
/// that workers can render them while later fragments are being recorded.
struct RecordingFollower: Sendable {
  let id: String
  /// The path or URL of the asset in the submission.
  let place: String
  /// The name in messages.
  let name: String
  /// The job, whose submitter owns the excerpts.
  let job: JobID
  let submitter: String?
  let shop: Workshop

  /// Makes the excerpts that are due and not stored.
  ///
  /// - Parameter needsMore: whether the job needs what is recorded later.
  /// - Returns: the recording with its excerpts.
  /// - Throws: ``JobError``, or `StorageError` if the disk is full or fails.
  func make(needsMore: Bool) async throws -> FollowedRecording {
    let status = try await shop.recording(id, named: name)
    let known = try await shop.farm.excerpts(ofRecording: id)
    var excerpts: [RecordedExcerpt] = []
    for excerpt in known {
      if try await use(excerpt) {
        excerpts.append(excerpt)
      } else {
        let fragments = try await shop.farm.fragments(
          ofRecording: id, from: excerpt.range.part, excerpt.range.first)
        excerpts.append(try await make(excerpt.range, of: fragments, status))
      }
    }
    if needsMore {
      let (ranges, fragments) = try await newRanges(of: status, after: known.last)
      for range in ranges { excerpts.append(try await make(range, of: fragments, status)) }
    }
    return FollowedRecording(
      place: place, isComplete: status.state.isFinal || !needsMore, excerpts: excerpts)
  }

  /// Waits until there is another excerpt, or the recording has ended.
  ///
  /// - Parameter pause: how long to wait even if there is another excerpt, unless the recording has ended.
  /// - Throws: `CancellationError` if the job has ended, ``JobError`` if the recording was deleted.
  func waitForMore(
    than followed: FollowedRecording, atLeast pause: Duration
  ) async throws {
    guard !followed.isComplete else { return }
    let start = ContinuousClock.now
    var seen: RationalTime?
    while true {
      let status = try await shop.recording(id, named: name)
      if status.state.isFinal { return }
      if seen != status.duration, .now - start >= pause {
        let (ranges, _) = try await newRanges(of: status, after: followed.excerpts.last)
        if !ranges.isEmpty { return }
        seen = status.duration
      }
      try await Task.sleep(for: Self.pause)
    }
  }

  /// The interval at which a recording is polled.
  private static let pause = Duration.seconds(1)

  /// The excerpts after one that was made, and the fragments that they consist of.
  private func newRanges(
    of status: RecordingStatus, after last: RecordedExcerpt?
  ) async throws -> (ranges: [ExcerptRange], fragments: [StoredFragment]) {
    // The last fragment of an excerpt is usually the first one of the next.
    let fragments = try await shop.farm.fragments(
      ofRecording: id, from: last?.range.part ?? 0, last?.range.last ?? 0
    ).filter { fragment in
      guard let last = last?.range, last.sharedFrames == 0 else { return true }
      return fragment.part > last.part
    }
    let fragmentsOfParts = Dictionary(grouping: fragments, by: \.part)
    let parts = status.parts.drop { part in
      last.map { part.number < $0.range.part } ?? (fragmentsOfParts[part.number] == nil)
    }
    let ranges = try ExcerptRange.all(
      of: Array(parts), fragmentsOfParts.mapValues { $0.map(\.fragment) })
    return (ranges, fragments)
  }

  /// Makes an excerpt that is stored the submitter's own, and keeps it from being removed.
  ///
  /// - Returns: whether it is stored.
  private func use(_ excerpt: RecordedExcerpt) async throws -> Bool {
    let asset = AssetReference(digest: excerpt.sha256, byteCount: excerpt.byteCount)
    try await shop.farm.own(pictures: [asset], of: job)
    return try await shop.threads.run { [files = shop.files] () throws in
      try files.touch(asset)
    }
  }

  /// Joins the fragments of an excerpt, and stores the file as an asset.
  private func make(
    _ range: ExcerptRange, of fragments: [StoredFragment], _ status: RecordingStatus
  ) async throws -> RecordedExcerpt {
    let numbers = range.first...range.last
    let fragments = fragments.filter {
      $0.part == range.part && numbers.contains($0.fragment.number)
    }
    let folder = "\(shop.directory.uploads)/excerpt-\(SecureRandom.token(bytes: 12))"
    let byteCount = fragments.reduce(0) { $0 + Int64($1.fragment.byteCount) }
    let output = "\(folder)/files"
    try await shop.assureRoom(toJoin: byteCount)
    try await shop.threads.run {
      try JobInputs.makeEmpty(folder)
      try RecordingStore.makeFolder(output)
    }
    let outcome: Result<RecordedExcerpt, any Error>
    do {
      let parts = try await shop.lend(fragments, ofRecording: id, at: "\(folder)/parts")
      let contents = try await shop.tools.join(
        JoiningRequest(
          recording: id, parts: status.parts.filter { $0.number == range.part }, fragments,
          in: parts, splitEvery: nil, to: output))
      guard let content = contents.first else {
        throw JobError(.mediaProcessFailed, "\(name): the media process returned no file")
      }
      let stored = try await shop.hashing.run(for: submitter) { [files = shop.files] in
        try await BlockingThread.run(named: "recorded") {
          try files.keep("\(output)/0.mp4", writtenAs: content, isConfirmed: true)
        }
      }
      let excerpt = RecordedExcerpt(
        range: range, sha256: stored.digest, byteCount: stored.byteCount)
      // Only now is it certain that the process had these bytes.
      try await shop.farm.own(pictures: [stored], of: job)
      try await shop.farm.note([.excerptMade(excerpt)], ofRecording: id)
      outcome = .success(excerpt)
    } catch {
      outcome = .failure(error)
    }
    try? await shop.threads.run { try FileManager.default.removeItem(atPath: folder) }
    return try outcome.get()
  }
}
