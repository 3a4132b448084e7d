import Timeline

/// The rules of a recording writer: which calls its state allows, and which samples it keeps.
///
/// The names are those of AVFoundation's asset writer. Tracks are added while the writer is idle. After
/// ``startWriting()``, it is preparing: it drops and counts samples until the first one at which decoding can start.
/// This sample starts the session, and from then on samples are kept in decoding order. A call that the state does not
/// allow throws, and changes nothing.
public struct WriterMachine: Hashable, Sendable {
  /// The decision about a sample.
  public enum Verdict: Hashable, Sendable {
    /// It is recorded.
    case kept
    /// It is dropped, because decoding cannot start yet or it is presented before the session starts.
    case droppedBeforeStart
    /// It is dropped, because it is sound and some of its bytes were lost.
    case droppedAsDamaged
  }

  private struct Track: Hashable, Sendable {
    let kind: TrackKind
    var lastDecoding: RationalTime?
    var isFinished = false
  }

  /// The state of the writer.
  public private(set) var status = WriterStatus.idle
  /// The presentation time at which the recording starts, once it is known.
  public private(set) var sessionStart: RationalTime?
  /// The number of samples that were dropped because they precede the session.
  public private(set) var droppedBeforeStart = 0
  private var tracks: [Track] = []

  /// Creates the rules of an idle writer.
  public init() {}

  /// The kinds of the tracks, in the order in which they were added.
  public var kinds: [TrackKind] { tracks.map(\.kind) }

  /// The track that decides where groups of samples begin: the video track, or else the first one.
  public var leadingTrack: Int? {
    tracks.isEmpty ? nil : tracks.firstIndex { $0.kind == .video } ?? 0
  }

  /// Whether a track can be added now. A recording has at most one video track.
  public func canAdd(_ kind: TrackKind) -> Bool {
    status == .idle && (kind == .audio || !kinds.contains(.video))
  }

  /// Adds a track.
  ///
  /// - Returns: its number.
  public mutating func add(_ kind: TrackKind) throws(RecordingError) -> Int {
    try require([.idle], for: "add", "add all tracks before writing starts")
    guard canAdd(kind) else {
      throw RecordingError(
        .unsupportedTrack,
        "add: the recording already has a video track: use another writer for a second one")
    }
    tracks.append(Track(kind: kind))
    return tracks.count - 1
  }

  /// Starts to accept samples. No more tracks can be added.
  ///
  /// - Throws: ``RecordingError`` with code `illegalCall` if there are no tracks, or if it was called before.
  public mutating func startWriting() throws(RecordingError) {
    try require([.idle], for: "startWriting", "create a writer for each recording")
    guard !tracks.isEmpty else {
      throw RecordingError(
        .illegalCall, "startWriting: the writer has no tracks: add at least one")
    }
    status = .preparing
  }

  /// Sets the presentation time at which the recording starts, instead of that of the first sample at which decoding
  /// can start.
  public mutating func startSession(atSourceTime time: RationalTime) throws(RecordingError) {
    try require([.preparing], for: "startSession", "call it once, after startWriting")
    guard sessionStart == nil else {
      throw RecordingError(
        .illegalCall, "startSession: the session already has a start: call it only once")
    }
    sessionStart = time
  }

  /// Decides whether the next sample of a track is kept.
  public mutating func append(
    _ sample: SampleFacts, to number: Int
  ) throws(RecordingError) -> Verdict {
    try require(
      [.preparing, .recording], for: "append",
      "append samples after startWriting and before finishWriting")
    try requireTrack(number, for: "append")
    guard !tracks[number].isFinished else {
      throw RecordingError(
        .illegalCall,
        "append: track \(number) is marked as finished: append all samples before that")
    }
    if let last = tracks[number].lastDecoding, sample.decodingTime <= last {
      throw RecordingError(
        .outOfOrder,
        "append: a sample of track \(number) has the decoding time \(sample.decodingTime.seconds) s, "
          + "but the one before it has \(last.seconds) s: append samples in decoding order")
    }
    tracks[number].lastDecoding = sample.decodingTime
    if status == .preparing {
      guard startsSession(sample, number) else {
        droppedBeforeStart += 1
        return .droppedBeforeStart
      }
      if sessionStart == nil { sessionStart = sample.presentationTime }
      status = .recording
    }
    if let sessionStart, sample.presentationTime < sessionStart {
      droppedBeforeStart += 1
      return .droppedBeforeStart
    }
    return sample.isDamaged && number != leadingTrack ? .droppedAsDamaged : .kept
  }

  private func startsSession(_ sample: SampleFacts, _ number: Int) -> Bool {
    guard number == leadingTrack, sample.isSync else { return false }
    return sessionStart.map { sample.presentationTime >= $0 } ?? true
  }

  /// Ends a track, which then accepts no more samples.
  public mutating func markAsFinished(_ number: Int) throws(RecordingError) {
    try require(
      [.preparing, .recording], for: "markAsFinished", "call it while samples are appended")
    try requireTrack(number, for: "markAsFinished")
    tracks[number].isFinished = true
  }

  /// Ends the recording, which then accepts no more samples.
  public mutating func finishWriting() throws(RecordingError) {
    try require([.preparing, .recording], for: "finishWriting", "call it once, after startWriting")
    status = .finishing
  }

  /// Notes that everything is on disk.
  public mutating func noteFinished() throws(RecordingError) {
    try require([.finishing], for: "noteFinished", "finish the writing first")
    status = .finished
  }

  /// Notes a failure. In a final state, nothing changes.
  ///
  /// - Returns: whether the state changed.
  public mutating func fail() -> Bool {
    guard !status.isFinal else { return false }
    status = .failed
    return true
  }

  /// Cancels the recording.
  public mutating func cancelWriting() throws(RecordingError) {
    try require(
      [.idle, .preparing, .recording, .finishing], for: "cancelWriting",
      "the recording has already ended")
    status = .cancelled
  }

  private func require(
    _ allowed: Set<WriterStatus>, for call: String, _ remedy: String
  ) throws(RecordingError) {
    guard allowed.contains(status) else {
      throw .illegal(call, "the writer", status.rawValue, remedy)
    }
  }

  private func requireTrack(_ number: Int, for call: String) throws(RecordingError) {
    guard tracks.indices.contains(number) else {
      throw RecordingError(
        .noSuchTrack, "\(call): there is no track \(number): use the number that add returned")
    }
  }
}
