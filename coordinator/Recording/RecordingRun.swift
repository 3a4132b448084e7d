import Crypto
import FarmAPI
import Foundation
import Preparation
import ProjectFormat
import Recording
import Synchronization
import Threads
import Timeline

/// Runs one recording: receives its source until it is stopped, and then makes the finished files.
actor RecordingRun {
  private let id: String
  private let submission: RecordingSubmission
  private let shop: Workshop
  private let stopping = StopFlag()
  /// The first part that this run may write.
  private var nextPart: Int
  private var parts: [Int: RecordedPart] = [:]
  /// When the last committed picture ends, in seconds of the recording.
  private var end: RationalTime
  /// When the last fragment was committed.
  private var lastFragment: ContinuousClock.Instant?
  /// The time between the last fragment of an earlier run and the start of this one.
  private let earlierSilence: Duration

  /// The time between two attempts to receive a source.
  private static let pause = Duration.seconds(1)
  /// The number of attempts in a row that yield nothing.
  private static let patience = 5

  /// - Parameter status: what the ledger has of the recording.
  init(_ status: RecordingStatus, _ submission: RecordingSubmission, shop: Workshop) {
    id = status.id
    self.submission = submission
    self.shop = shop
    nextPart = (status.parts.map(\.number).max() ?? 0) + 1
    end = status.duration
    earlierSilence = Self.silence(in: shop.directory.recording(status.id))
  }

  /// Whether someone wants the recording to end.
  private final class StopFlag: Sendable {
    private let state = Atomic(false)

    var isSet: Bool { state.load(ordering: .relaxed) }
    func set() { state.store(true, ordering: .relaxed) }
  }

  /// The time since a file was last added to a part of a recording; zero if none was.
  private static func silence(in folder: String) -> Duration {
    let manager = FileManager.default
    let dates = ((try? manager.contentsOfDirectory(atPath: folder)) ?? []).compactMap {
      try? manager.attributesOfItem(atPath: "\(folder)/\($0)")[.modificationDate] as? Date
    }
    return dates.max().map { .seconds(max(0, Date().timeIntervalSince($0))) } ?? .zero
  }

  private static func makeFolder(_ path: String) throws(StorageError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true,
        attributes: [.posixPermissions: Int(PrivateFiles.folderMode)])
    } catch {
      throw StorageError(.unwritable, "cannot create \(path): \(error.localizedDescription)")
    }
  }

  /// Ends the recording soon. What was received until now is written.
  nonisolated func stop() { stopping.set() }

  /// Runs until the recording has ended, or the task is cancelled because the coordinator stops.
  func run() async {
    var failure: JobFailure?
    do {
      let state = try await shop.farm.recording(id).state
      if state != .finishing { failure = try await receive() }
      try Task.checkCancellation()
      try await shop.farm.note([.advanced(.finishing)], ofRecording: id)
      let outputs = try await finish(&failure)
      try await shop.farm.note([.ended(outputs, failure, at: Date())], ofRecording: id)
      shop.log.info(
        "recorded \(end.threeDecimals) s" + (failure.map { ", then failed: \($0.message)" } ?? ""),
        fields)
    } catch {
      // If the coordinator stops, the next one goes on.
      guard !Task.isCancelled else { return }
      shop.log.error("\(error)", fields)
      let reason =
        (error as? JobError)?.failure ?? JobFailure(code: .coordinator, message: "\(error)")
      try? await shop.farm.note([.ended([], reason, at: Date())], ofRecording: id)
    }
  }

  private var fields: LogFields { ["recording": id, "source": submission.source.description] }

  /// Receives the source until it is stopped.
  ///
  /// - Returns: the reason why it ended early; `nil` if it was stopped.
  private func receive() async throws -> JobFailure? {
    let folder = shop.directory.recording(id)
    try await shop.threads.run { try Self.makeFolder(folder) }
    var attempts = 0
    while !stopping.isSet, !hasReachedLength {
      try Task.checkCancellation()
      let before = end
      do {
        if let failure = try await receiveOnce(folder) {
          guard failure.code == .mediaProcessDied || failure.code == .mediaProcessKilled else {
            return failure
          }
          shop.log.error("\(failure.message): recording again", fields)
        }
      } catch let error as JobError {
        shop.log.error("\(error)", fields)
        attempts += 1
        if attempts >= Self.patience, parts.isEmpty { return error.failure }
      }
      attempts = end > before ? 0 : attempts
      guard !stopping.isSet, !hasReachedLength else { break }
      try await Task.sleep(for: Self.pause)
    }
    return nil
  }

  private var hasReachedLength: Bool { submission.length.map { end >= $0 } ?? false }

  /// Receives the source until it ends or is stopped.
  ///
  /// - Returns: the reason why it ended, unless it just ended or was stopped.
  private func receiveOnce(_ folder: String) async throws -> JobFailure? {
    let (source, stopping) = (submission.source, stopping)
    let opened = try await BlockingThread.run(named: "source") { isCancelled in
      try SourceSocket.open(source) { !stopping.isSet && !isCancelled() }
    }
    guard let descriptor = opened else { return nil }
    defer { close(descriptor) }
    let recording = try await shop.tools.record(
      RecordingBeginning(
        name: "\(submission.source)", folder: folder, firstPart: nextPart, start: try silentStart(),
        isDurable: Durability.isRequired(of: folder)), from: descriptor)
    do {
      return try await follow(recording)
    } catch {
      await recording.abandon()
      throw error
    }
  }

  /// When a part begins that follows the last fragment now, in seconds of the recording.
  private func silentStart() throws -> RationalTime {
    guard nextPart > 1 else { return .zero }
    let silence = lastFragment.map { .now - $0 } ?? earlierSilence
    return try end + RationalTime(Int64(silence / .milliseconds(1)), 1000)
  }

  /// Records what a recorder does until it has ended.
  private func follow(_ recording: any SourceRecording) async throws -> JobFailure? {
    var isEnding = false
    while true {
      let news = try await recording.next()
      try Task.checkCancellation()
      if !news.events.isEmpty { try await note(news.events) }
      if news.hasEnded {
        await recording.abandon()
        return news.failure
      }
      if !isEnding, stopping.isSet || hasReachedLength {
        isEnding = true
        try await recording.stop()
      }
    }
  }

  private func note(_ events: [RecorderEvent]) async throws {
    var changes: [RecordingChange] = []
    for event in events {
      switch event {
      case .began(let part):
        parts[part.number] = part
        nextPart = part.number + 1
        changes.append(.partBegan(part))
      case .wrote(let number, let fragment):
        if let part = parts[number] { end = try part.start + fragment.end }
        lastFragment = .now
        changes.append(.fragmentWritten(part: number, fragment))
      case .ended(let part, let losses): changes.append(.partEnded(part, losses))
      case .ignored(let reason):
        shop.log.info("not recorded: \(reason)", fields)
        changes.append(.streamIgnored(reason))
      }
    }
    try await shop.farm.note(changes, ofRecording: id)
  }

  /// Makes the finished files of everything that was committed.
  ///
  /// - Parameter failure: why the recording ended early; set if there are no files.
  private func finish(_ failure: inout JobFailure?) async throws -> [OutputFile] {
    let folder = shop.directory.recording(id)
    let fragments = try await shop.farm.fragments(ofRecording: id)
    let known = try await shop.farm.recording(id).parts
    let request = JoiningRequest(
      name: "recording \(id)",
      parts: known.map { part in
        JoiningRequest.Part(
          folder: "\(folder)/\(part.folderName)", start: part.start,
          fragments: fragments.filter { $0.part == part.number }.map(\.fragment))
      }, output: "\(folder)/joining", isDurable: Durability.isRequired(of: folder))
    guard !fragments.isEmpty else {
      failure =
        failure
        ?? JobFailure(
          code: .nothingRecorded,
          message:
            "nothing was recorded: \(submission.source): check that the source sends a keyframe")
      return []
    }
    try await shop.threads.run {
      try? FileManager.default.removeItem(atPath: request.output)
      try Self.makeFolder(request.output)
    }
    let contents = try await shop.tools.join(request)
    var outputs: [OutputFile] = []
    for (number, content) in contents.enumerated() {
      let name = contents.count > 1 ? "\(submission.name) \(number + 1)" : submission.name
      outputs.append(
        OutputFile(
          fileName: JobRun.fileName(name, .mp4), byteCount: content.byteCount,
          sha256: try await shop.outputs.take(
            "\(request.output)/\(number).mp4", writtenAs: content,
            to: shop.directory.recordingOutput(number, of: id))))
    }
    try await shop.threads.run { try? FileManager.default.removeItem(atPath: request.output) }
    return outputs
  }
}
