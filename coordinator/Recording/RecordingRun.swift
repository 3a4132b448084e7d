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
  let id: String
  let name: String
  let source: RecordingSource
  private let length: RationalTime?
  private let byteLimit: Int64?
  let splitLength: RationalTime?
  private let encoding: RecordingEncoding
  private let capture: CaptureSettings
  let shop: Workshop
  /// The sources from which the operator allows recordings.
  let allowed: AllowedRecordingSources
  private let stopping = StopFlag()
  private let pausing = StopFlag()
  /// The first part that this run may write.
  private(set) var nextPart: Int
  private var parts: [Int: RecordedPart] = [:]
  /// The end of the last picture that is written, in seconds of the recording.
  private var end: RationalTime
  /// The number of bytes in fragments that are written.
  private var byteCount: Int64
  /// When the last fragment was written.
  private var lastFragment: ContinuousClock.Instant?
  /// The secret that encrypts an SRT connection, the stream key of an RTMP sender, or the user and the password for an
  /// RTSP server.
  private var passphrase: RecordingPassphrase?
  /// The date on which an earlier run stored its last fragment.
  private var lastStored: Date?
  private let commits: RecordingCommits

  /// The time between two attempts to receive a source, or to join the fragments.
  static let pause = Duration.seconds(1)
  /// The number of attempts to receive a source that has sent nothing yet, or to join the fragments.
  static let patience = 5

  /// The stream that the submitter uploads; `nil` for other sources, and after a restart, which ends uploads.
  nonisolated let upload: RecordingUpload?

  /// - Parameter status: the recording as the ledger has it.
  init(
    _ status: RecordingStatus, from upload: RecordingUpload?, shop: Workshop,
    allowed: AllowedRecordingSources
  ) {
    (id, name, source, length) = (status.id, status.name, status.source, status.length)
    (byteLimit, splitLength, byteCount) = (status.byteLimit, status.splitLength, status.byteCount)
    commits = RecordingCommits(of: status.id, shop: shop, fields: Self.fields(status.id, source))
    encoding = status.encoding ?? RecordingEncoding()
    capture = status.capture ?? CaptureSettings()
    self.shop = shop
    self.allowed = allowed
    self.upload = upload
    nextPart = (status.parts.map(\.number).max() ?? 0) + 1
    end = status.duration
  }

  /// Whether the run should end.
  private final class StopFlag: Sendable {
    private let state = Atomic(false)

    var isSet: Bool { state.load(ordering: .relaxed) }
    func set() { state.store(true, ordering: .relaxed) }
  }

  /// Tells the recording to end. Everything that was received until now is written.
  nonisolated func stop() { stopping.set() }

  /// Tells the run to end because the coordinator stops. What was received until now is committed, and the next start
  /// of the coordinator continues the recording.
  nonisolated func pause() { pausing.set() }

  /// Runs until the recording has ended, or the task is cancelled because the coordinator stops.
  func run() async {
    var failure: JobFailure?
    var outputs: [OutputFile] = []
    do {
      // Read first, because the ledger forgets the passphrase once the source is closed.
      let (status, passphrase, fragments) = try await shop.persist("read the ledger", fields) {
        (
          try await shop.farm.recording(id), try await shop.farm.passphrase(ofRecording: id),
          try await shop.farm.fragments(ofRecording: id)
        )
      }
      self.passphrase = passphrase
      // A recording that failed before its files were made keeps its failure.
      failure = status.failure
      guard try await hasHeaders(of: fragments) else {
        return await end(with: [], failure ?? .recordedFilesMissing)
      }
      if status.state != .finishing {
        failure = try await receiveAndCommit(after: fragments.last)
        try Task.checkCancellation()
        if failure == nil, pausing.isSet, !stopping.isSet { return }
        try await shop.persist("enter in the ledger that the recording ends", fields) {
          try await shop.farm.note([.finishing(failure)], ofRecording: id)
        }
      }
      outputs = try await finish(&failure)
    } catch {
      // If the coordinator stops, its next start, or another coordinator, continues the recording.
      guard !Task.isCancelled, !LedgerError.endsService(error) else { return }
      shop.log.error("\(error)", fields)
      let reason =
        (error as? JobError)?.failure ?? JobFailure(code: .coordinator, message: "\(error)")
      failure = failure ?? reason
    }
    try? await shop.threads.run { [id, joining, commits, store = shop.recordings] in
      try? FileManager.default.removeItem(atPath: joining)
      // Fragments that could not be stored stay until the next start.
      if !commits.areWaiting { store.removeLeftovers(of: id) }
    }
    await end(with: outputs, failure)
  }

  private func hasHeaders(of fragments: [StoredFragment]) async throws -> Bool {
    try await shop.threads.run(apart: true) { [id, store = shop.recordings] in
      store.hasHeaders(of: fragments, of: id)
    }
  }

  /// Records the end, as soon as the ledger can be written.
  private func end(with outputs: [OutputFile], _ failure: JobFailure?) async {
    while !Task.isCancelled {
      do {
        try await shop.farm.note([.ended(outputs, failure, at: Date())], ofRecording: id)
        return shop.log.info(
          "recorded \(end.threeDecimals) s"
            + (failure.map { ", then failed: \($0.message)" } ?? ""), fields)
      } catch {
        guard !LedgerError.endsService(error) else { return }
        shop.log.error("cannot enter the end in the ledger: \(error): trying again", fields)
        try? await Task.sleep(for: Self.ledgerPause)
      }
    }
  }

  /// The time between two attempts to write to the ledger.
  private static let ledgerPause = Duration.seconds(10)

  var fields: LogFields { Self.fields(id, source) }

  private static func fields(_ id: String, _ source: RecordingSource) -> LogFields {
    ["recording": id, "source": source.description]
  }

  /// Receives the source until it is stopped, and commits everything that was received.
  ///
  /// - Parameter last: the last fragment of an earlier run.
  /// - Returns: the reason why it ended early; `nil` if it was stopped.
  private func receiveAndCommit(after last: StoredFragment?) async throws -> JobFailure? {
    lastStored = try await shop.threads.run(apart: true) { [id, store = shop.recordings] in
      try store.makeFolder(of: id)
      return last.flatMap { store.date($0, of: id) }
    }
    let outcome: Result<JobFailure?, any Error>
    do { outcome = .success(try await receive(in: shop.recordings.folder(of: id))) } catch {
      outcome = .failure(error)
    }
    try await commits.finish()
    return try outcome.get()
  }

  /// Receives the source until it is stopped.
  ///
  /// - Returns: the reason why it ended early; `nil` if it was stopped.
  private func receive(in folder: String) async throws -> JobFailure? {
    if source == .upload { return try await receiveUpload(folder) }
    if let playlist = source.playlist { return try await receive(playlist, in: folder) }
    var failures = 0
    var pauses = RetryPause(for: source.transport)
    while !isEnding {
      try Task.checkCancellation()
      try commits.check()
      let earlierCount = byteCount
      let failure = try await receiveOnce(folder)
      if let failure {
        failures += 1
        let isLast = nextPart == 1 && failures >= Self.patience
        guard mayRecover(from: failure), !isLast else { return failure }
        if failures == 1 { shop.log.error("\(failure.message): trying again", fields) }
      } else {
        failures = 0
      }
      guard !isEnding else { break }
      let deadline =
        ContinuousClock.now
        + pauses.length(afterRecording: byteCount > earlierCount, failure?.code)
      while !isEnding, .now < deadline {
        try await Task.sleep(for: min(Self.pause, deadline - .now))
      }
    }
    return nil
  }

  /// Receives the stream that the submitter uploads.
  ///
  /// - Returns: the reason why it ended early; `nil` if it ended or was stopped.
  private func receiveUpload(_ folder: String) async throws -> JobFailure? {
    guard let upload else {
      return JobFailure(
        code: .uploadInterrupted,
        message: "\(name): the coordinator restarted during the upload: record the stream again")
    }
    defer { upload.close() }
    let failure: JobFailure?
    do {
      failure = try await record(from: [upload.readingEnd], in: folder)
    } catch let error as JobError {
      failure = error.failure
    }
    guard failure == nil, !upload.isComplete, !isEnding else { return failure }
    return JobFailure(
      code: .uploadInterrupted,
      message: "\(name): nothing was uploaded for \(StreamUpload.patience.components.seconds) s: "
        + "check the connection to the coordinator, then record the stream again")
  }

  /// Whether another attempt may succeed. Once something was recorded, invalid data does not end the recording, because
  /// another sender may follow. Only failures of the disk and of the sandbox do.
  func mayRecover(from failure: JobFailure) -> Bool {
    // A stranger can publish over RTMP, at least if there is no stream key.
    nextPart > 1 || source.transport == .rtmpListen
      ? ![.diskFull, .writeFailed, .notConfined].contains(failure.code)
      : [.sourceUnreachable, .mediaProcessDied, .mediaProcessKilled].contains(failure.code)
  }

  /// Whether the recording was stopped, or the coordinator stops.
  nonisolated var isToldToEnd: Bool { stopping.isSet || pausing.isSet }

  /// Whether the source should no longer be received.
  var isEnding: Bool { isToldToEnd || hasReachedLimit }

  private var hasReachedLimit: Bool {
    (length.map { end >= $0 } ?? false) || (byteLimit.map { byteCount >= $0 } ?? false)
  }

  /// Receives the source until it ends or is stopped.
  ///
  /// - Returns: the reason why it failed; `nil` if it ended or was stopped.
  private func receiveOnce(_ folder: String) async throws -> JobFailure? {
    let (source, stopping, pausing) = (source, stopping, pausing)
    do {
      let opened = try await BlockingThread.run(named: "source") { isCancelled in
        try SourceSocket.open(source) {
          !stopping.isSet && !pausing.isSet && !isCancelled()
        }
      }
      guard let descriptors = opened else { return nil }
      defer { for descriptor in descriptors { close(descriptor) } }
      return try await record(from: descriptors, in: folder)
    } catch let error as JobError {
      return error.failure
    }
  }

  /// Records from one descriptor, or from those of several devices, until the source ends or is stopped.
  ///
  /// - Parameter silence: the time between the end of the last part and the start of the next one; `nil` for the time that
  ///   has passed since the last fragment.
  func record(
    from descriptors: [Int32], in folder: String, after silence: Duration? = nil
  ) async throws -> JobFailure? {
    let recording = try await shop.tools.record(
      RecordingBeginning(
        name: "\(source)", folder: folder, firstPart: nextPart,
        start: try silentStart(after: silence),
        // If files are in an object store, the next start removes this folder.
        isDurable: shop.recordings.isInPlace && Durability.isRequired(of: folder),
        delivery: delivery,
        mayBeFile: source == .upload, encoding: encoding),
      from: descriptors)
    do {
      return try await follow(recording)
    } catch {
      await recording.abandon()
      throw error
    }
  }

  /// How the source's stream arrives.
  private var delivery: RecordingBeginning.Delivery {
    switch source.transport {
    case .udp, .tcp, .tcpListen: .plain
    case .upload, .https, .http: .waiting
    case .srt: .srtCaller(passphrase)
    case .srtListen: .srtListener(passphrase)
    case .rtmpListen: .rtmp(key: passphrase)
    case .rtsp: .rtsp(url: source.description, passphrase)
    case .devices: .devices(source, capture)
    }
  }

  /// The start of a part that begins now, in seconds of the recording: as long after the last fragment as the source
  /// was silent.
  private func silentStart(after silence: Duration?) throws -> RationalTime {
    guard nextPart > 1 else { return .zero }
    let silence: Duration =
      silence ?? lastFragment.map { .now - $0 }
      ?? lastStored.map { .seconds(max(0, Date().timeIntervalSince($0))) } ?? .zero
    return try end + RationalTime(Int64(silence / .milliseconds(1)), 1000)
  }

  /// Records what a recorder does until it has ended.
  private func follow(_ recording: any SourceRecording) async throws -> JobFailure? {
    var wasStopped = false
    while true {
      let news = try await recording.next()
      try Task.checkCancellation()
      if !news.events.isEmpty { try note(news.events) }
      if !wasStopped, let shortage = try await shop.shortage() {
        await recording.abandon()
        return JobFailure(code: .diskFull, message: remedied(shortage))
      }
      if news.hasEnded {
        await recording.abandon()
        return news.failure
      }
      if let upload, upload.isIdle { upload.close() }
      if !wasStopped, isEnding {
        wasStopped = true
        try await recording.stop()
      }
    }
  }

  /// The message for a disk that is full, with what to do once there is space.
  func remedied(_ shortage: StorageError) -> String {
    "\(shortage.message), then run `sheaf stop \(id)` to create the file"
  }

  func note(_ events: [RecorderEvent]) throws {
    var changes: [RecordingChange] = []
    for event in events {
      switch event {
      case .began(let part):
        parts[part.number] = part
        nextPart = part.number + 1
        changes.append(.partBegan(part))
      case .wrote(let number, let fragment):
        if let part = parts[number] { end = try part.start + fragment.end }
        byteCount += Int64(fragment.byteCount)
        lastFragment = .now
        changes.append(.fragmentWritten(part: number, fragment))
      case .ended(let part, let losses): changes.append(.partEnded(part, losses))
      case .ignored(let reason):
        shop.log.info("not recorded: \(reason)", fields)
        changes.append(.streamIgnored(reason))
      }
    }
    try commits.add(changes)
  }
}
