import Foundation
import Media
import Recording
import Threads
import Timeline

/// Records encoded samples as they arrive: the counterpart of an asset writer for live sources.
///
/// Add the tracks, call ``startWriting()``, append samples in decoding order, and call ``finishWriting()``. The session
/// starts at the first keyframe, unless ``startSession(atSourceTime:)`` sets another start; samples before it are
/// dropped and counted. The recording is a folder with a header and fragments of whole groups of pictures. The delegate
/// is told about each fragment once it is complete on disk. `RecordedMovie` joins the fragments into an ordinary file,
/// without encoding anything.
///
/// ``append(_:to:)`` never waits for the disk, so it can be called on the thread that empties a socket. If the disk is
/// too slow, whole groups are dropped, and the gap is recorded. All methods can be called on any thread, but the
/// delegate must not finish or cancel the recording: these calls wait for the delegate.
///
/// `@unchecked` is sound because `condition` is locked during every access to the state.
public final class RecordingWriter: @unchecked Sendable {
  private let folder: FragmentFolder
  private let settings: RecordingSettings
  private weak let delegate: (any RecordingWriterDelegate)?

  private let condition = NSCondition()
  private var machine = WriterMachine()
  private var tracks: [RecordingTrack] = []
  private var collector: GroupCollector<[UInt8]>?
  private var waiting: [SampleGroup<[UInt8]>] = []
  private var waitingBytes = 0
  private var counted = RecordingLosses()
  private var failure: (any Error)?
  private var hasThread = false

  /// Creates an idle writer.
  ///
  /// - Parameter folder: the recording's folder, which is created when writing starts.
  public init(
    folder: String, settings: RecordingSettings = RecordingSettings(),
    delegate: (any RecordingWriterDelegate)? = nil
  ) {
    self.folder = FragmentFolder(path: folder, isDurable: settings.isDurable)
    self.settings = settings
    self.delegate = delegate
  }

  /// The state of the recording.
  public var status: WriterStatus { locked { machine.status } }

  /// The reason why the recording failed.
  public var error: (any Error)? { locked { failure } }

  /// The losses so far.
  public var losses: RecordingLosses {
    locked {
      var losses = counted
      losses.beforeStart = machine.droppedBeforeStart
      losses.damagedSamples += collector?.leftOut ?? 0
      return losses
    }
  }

  /// The presentation time at which the recording starts, in seconds of the source's clock, once it is known.
  public var sessionStart: RationalTime? { locked { machine.sessionStart } }

  /// Whether the disk keeps up: the queue of samples to write is less than half full.
  public var isReadyForMoreMediaData: Bool {
    locked {
      [.preparing, .recording].contains(machine.status)
        && waitingBytes + (collector?.byteCount ?? 0) < settings.queueLimit / 2
    }
  }

  /// Waits until the queue of samples to write is at most half full, or the recording has ended.
  func waitForDisk() {
    condition.lock()
    defer { condition.unlock() }
    while machine.status == .recording, waitingBytes > settings.queueLimit / 2 { condition.wait() }
  }

  /// Whether the writer can record a track, and tracks can still be added.
  public func canAdd(_ track: RecordingTrack) -> Bool {
    guard let kind = track.kind, FragmentMuxer.canHold(track.parameters) else { return false }
    return locked { machine.canAdd(kind) }
  }

  /// Adds a track and returns its number.
  ///
  /// - Throws: `RecordingError`, or `MediaError` with code `unsupportedCodec` if an MP4 file cannot hold the track.
  public func add(_ track: RecordingTrack) throws -> Int {
    guard let kind = track.kind, FragmentMuxer.canHold(track.parameters) else {
      throw MediaError(
        .unsupportedCodec, "an MP4 file cannot hold the codec", on: track.parameters.codec,
        remedy: "encode the track as H.264 or AAC")
    }
    return try locked {
      let number = try machine.add(kind)
      tracks.append(track)
      return number
    }
  }

  /// Creates the recording's folder. Samples can be appended from now on.
  ///
  /// - Throws: `RecordingError`, or `MediaError` with code `writeFailed`.
  public func startWriting() throws {
    try locked {
      try machine.startWriting()
      let leading = machine.leadingTrack ?? 0
      collector = GroupCollector(
        leadingTrack: leading, leadsWithVideo: machine.kinds[leading] == .video,
        byteLimit: settings.groupLimit, soundLength: settings.fragmentLength)
      do {
        try folder.prepare()
      } catch {
        _ = machine.fail()
        failure = error
        throw error
      }
    }
  }

  /// Sets the time at which the recording starts, in seconds of the source's clock.
  ///
  /// - Throws: `RecordingError`.
  public func startSession(atSourceTime time: RationalTime) throws {
    try locked { try machine.startSession(atSourceTime: time) }
  }

  /// Appends the next sample of a track, without waiting for the disk.
  ///
  /// - Returns: whether the sample is kept. It can still be dropped with its group.
  /// - Throws: `RecordingError` if the state does not allow the call or the samples are out of order. If the recording
  ///   has failed, its ``error``.
  @discardableResult public func append(_ sample: EncodedSample, to track: Int) throws -> Bool {
    try locked {
      if let failure { throw failure }
      switch try machine.append(sample.facts, to: track) {
      case .kept: break
      case .droppedBeforeStart: return false
      case .droppedAsDamaged:
        counted.damagedSamples += 1
        return false
      }
      let recorded = RecordedSample(track: track, facts: sample.facts, content: sample.bytes)
      if let group = collector?.add(recorded) { pass(group) }
      return true
    }
  }

  /// Ends a track, which then accepts no more samples.
  ///
  /// - Throws: `RecordingError`.
  public func markAsFinished(_ track: Int) throws {
    try locked { try machine.markAsFinished(track) }
  }

  /// Writes everything that was appended, and waits until it is on disk.
  ///
  /// - Throws: `RecordingError`, or the ``error`` of a recording that has failed.
  public func finishWriting() async throws {
    try await BlockingThread.run(named: "finish") { try self.finishWritingAndWait() }
  }

  /// Writes everything that was appended, and waits until it is on disk. Blocks.
  ///
  /// - Throws: `RecordingError`, or the ``error`` of a recording that has failed.
  public func finishWritingAndWait() throws {
    condition.lock()
    defer { condition.unlock() }
    if let failure { throw failure }
    try machine.finishWriting()
    if let group = collector?.finish() { pass(group) }
    if hasThread {
      condition.broadcast()
      while !machine.status.isFinal { condition.wait() }
    } else {
      try machine.noteFinished()
    }
    if let failure { throw failure }
  }

  /// Cancels the recording, and removes its folder.
  ///
  /// - Throws: `RecordingError` if it has already ended.
  public func cancelWriting() throws {
    condition.lock()
    defer { condition.unlock() }
    try machine.cancelWriting()
    waiting = []
    condition.broadcast()
    while hasThread { condition.wait() }
    folder.remove()
  }

  /// Passes a group to the writing thread, or drops it. Call it with the lock held.
  private func pass(_ group: SampleGroup<[UInt8]>) {
    guard group.isUsable else {
      // It is a piece of a divided group, and the piece before it was dropped.
      counted.droppedGroups += 1
      collector?.noteDrop()
      return
    }
    guard waitingBytes == 0 || waitingBytes + group.byteCount <= settings.queueLimit else {
      counted.droppedGroups += 1
      collector?.noteDrop()
      return
    }
    waiting.append(group)
    waitingBytes += group.byteCount
    if !hasThread {
      hasThread = true
      BlockingThread.start(named: "recording") { self.write() }
    }
    condition.broadcast()
  }

  private func locked<Value>(_ body: () throws -> Value) rethrows -> Value {
    condition.lock()
    defer { condition.unlock() }
    return try body()
  }
}

/// The writing thread.
extension RecordingWriter {
  /// Writes groups until the recording ends.
  private func write() {
    do {
      guard let writing = try begin() else { return leave() }
      while let group = next() {
        let written = try writing.write(group)
        locked {
          waitingBytes -= group.byteCount
          condition.broadcast()
        }
        for fragment in written { delegate?.recordingWriter(self, didWrite: fragment) }
      }
      if status == .finishing, let last = try writing.finish() {
        delegate?.recordingWriter(self, didWrite: last)
      }
      let hasFinished = locked { (try? machine.noteFinished()) != nil }
      leave()
      if hasFinished { delegate?.recordingWriterDidFinish(self) }
    } catch {
      let hasFailed = locked {
        let hasFailed = machine.fail()
        if hasFailed { failure = error }
        waiting = []
        return hasFailed
      }
      leave()
      if hasFailed { delegate?.recordingWriter(self, didFailWith: error) }
    }
  }

  private func begin() throws -> FragmentWriting? {
    let (tracks, leading, origin) = locked {
      (self.tracks, machine.leadingTrack, machine.sessionStart)
    }
    guard let leading, let origin else { return nil }
    return try FragmentWriting(
      folder, tracks: tracks, leadingTrack: leading, origin: origin,
      length: settings.fragmentLength)
  }

  /// Waits for the next group; `nil` if there will be none.
  private func next() -> SampleGroup<[UInt8]>? {
    locked {
      while waiting.isEmpty, machine.status == .recording { condition.wait() }
      return waiting.isEmpty ? nil : waiting.removeFirst()
    }
  }

  /// Tells waiting callers that the thread has ended.
  private func leave() {
    locked {
      hasThread = false
      condition.broadcast()
    }
  }
}
