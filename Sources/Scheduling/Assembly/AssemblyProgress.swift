import Crypto
import FarmAPI

/// Decides how a job's file is assembled from chunks that arrive in any order.
///
/// Chunks are appended in the order of their segments, while other segments are rendered and the sound is mixed, once
/// their own sound is available. The caller performs ``next``, and reports every result as an event. Events return what
/// else has to be done at once.
public struct AssemblyProgress: Hashable, Sendable {
  /// The next step of the assembly.
  public enum Step: Hashable, Sendable {
    /// Wait for an event.
    case wait
    /// Ask for a slot among the assemblies, and report ``Event/slotRequested``.
    case takeSlot
    /// Create an empty file.
    case begin
    /// Append a segment's chunk to the file.
    case append(segment: Int, Digest)
    /// Complete the file, which has all of its chunks.
    case finish
  }

  /// Something that happened.
  public enum Event: Hashable, Sendable {
    /// A segment's chunk was accepted.
    case accepted(segment: Int, Digest)
    /// Chunks were dropped. The remaining ones are reported again.
    case restarted
    /// The sound of the first segments is available.
    case soundArrived(segments: Int)
    /// The sound so far is withdrawn. The file waits until all of it is available.
    case soundWithdrawn
    /// All of the sound is available.
    case soundCompleted
    /// The job asked for a slot, and waits for it.
    case slotRequested
    /// The job has a slot.
    case slotGranted(at: Instant)
    /// Time has passed. `isWanted` says whether another job waits for a slot.
    case tick(at: Instant, isWanted: Bool)
    /// An empty file was created.
    case begun
    /// The next chunk was appended. A full file takes no more chunks.
    case appended(isFull: Bool, at: Instant)
    /// The next chunk is not what its segment requires. The file is unchanged.
    case bad(JobFailure, at: Instant)
    /// The next chunk is damaged or missing on the disk. The file is unchanged.
    case lost(at: Instant)
    /// The muxer rejected the next chunk after it had written a part of it.
    case unwritable(JobFailure, at: Instant)
    /// The assembling process died while it appended the next chunk.
    case died(JobFailure, at: Instant)
  }

  /// An action that an event requires at once.
  public enum Effect: Hashable, Sendable {
    /// Discard the file.
    case abandon
    /// Give the slot to another job.
    case leaveSlot
    /// Render a segment again, and blame the worker that delivered its chunk.
    case refuse(segment: Int, JobFailure)
    /// Render a segment again. Nobody is to blame.
    case lose(segment: Int)
    /// End the job with this failure.
    case fail(JobFailure)
  }

  private enum Sound: Hashable, Sendable {
    case complete
    /// The sound of this many segments is available.
    case growing(segments: Int)
  }

  private enum Slot: Hashable, Sendable {
    case none, requested
    case held(hasFile: Bool)
  }

  /// The maximum number of deaths of assembling processes that are attributed to chunks.
  static let deathLimit = 8

  /// The number of segments.
  public let segmentCount: Int
  /// The chunks in the file, in order.
  public private(set) var appended: [Digest] = []

  /// How long a job may keep its slot without its next chunk, or its sound, while another job waits.
  private let patience: Duration
  private var waiting: [Int: Digest] = [:]
  private var isFull = false
  private var sound: Sound
  /// Whether the job gave its slot to another one. It then waits until it has all of its chunks and sound.
  private var isPutOff = false
  /// The segments at which an assembling process died.
  private var deaths: [Int] = []
  private var slot = Slot.none
  /// When the job got its slot, or last tried to append a chunk.
  private var idleSince = Instant(.zero)

  /// Creates the progress of a job without chunks.
  ///
  /// - Parameters:
  ///   - patience: how long the job may keep its slot without its next chunk, or its sound, while another job waits.
  ///   - mixesSound: whether there is sound, which has yet to be mixed.
  public init(segmentCount: Int, patience: Duration, mixesSound: Bool = false) {
    self.segmentCount = segmentCount
    self.patience = patience
    sound = mixesSound ? .growing(segments: 0) : .complete
  }

  /// Whether the file is complete.
  public var isComplete: Bool { isFull || appended.count == segmentCount }

  /// The next step.
  public var next: Step {
    switch slot {
    case .none: mayBegin ? .takeSlot : .wait
    case .requested: .wait
    case .held(let hasFile):
      if isComplete {
        sound == .complete ? (hasFile ? .finish : .begin) : .wait
      } else if let chunk = waiting[appended.count], hasSound(of: appended.count) {
        hasFile ? .append(segment: appended.count, chunk) : .begin
      } else {
        .wait
      }
    }
  }

  /// A job that cannot append anything holds no slot and no process.
  private var mayBegin: Bool {
    isPutOff || segmentCount == 0
      ? waiting.count == segmentCount && sound == .complete
      : waiting[appended.count] != nil && hasSound(of: appended.count)
  }

  private func hasSound(of segment: Int) -> Bool {
    switch sound {
    case .complete: true
    case .growing(let segments): segment < segments
    }
  }

  /// Notes an event, and returns what it requires, in order.
  public mutating func take(_ event: Event) -> [Effect] {
    switch event {
    case .accepted(let segment, let chunk):
      waiting[segment] = chunk
      return []
    case .restarted:
      (waiting, appended, isFull) = ([:], [], false)
      return dropFile()
    case .soundArrived(let segments):
      if case .growing = sound { sound = .growing(segments: segments) }
      return []
    case .soundWithdrawn:
      if sound != .complete { sound = .growing(segments: 0) }
      return beginAgain()
    case .soundCompleted:
      sound = .complete
      return []
    case .slotRequested:
      precondition(slot == .none, "a job may request only one slot")
      slot = .requested
      return []
    case .slotGranted(let now):
      precondition(slot == .requested, "a job gets only a slot that it requested")
      (slot, idleSince) = (.held(hasFile: false), now)
      return []
    case .tick(let now, let isWanted):
      return tick(at: now, isWanted: isWanted)
    case .begun:
      precondition(slot == .held(hasFile: false), "a job has only one file, in its slot")
      slot = .held(hasFile: true)
      return []
    case .appended(let isFull, let now):
      idleSince = now
      guard let chunk = waiting.removeValue(forKey: appended.count) else {
        preconditionFailure("a chunk that was not accepted is appended")
      }
      appended.append(chunk)
      self.isFull = isFull
      return []
    case .bad(let failure, let now):
      idleSince = now
      return [.refuse(segment: dropNext(), failure)]
    case .lost(let now):
      idleSince = now
      return [.lose(segment: dropNext())]
    case .unwritable(let failure, let now):
      idleSince = now
      guard deaths.count < Self.deathLimit else { return [.fail(failure)] }
      let segment = dropNext()
      return beginAgain() + [.refuse(segment: segment, failure)]
    case .died(let failure, let now):
      idleSince = now
      return died(failure)
    }
  }

  private mutating func tick(at now: Instant, isWanted: Bool) -> [Effect] {
    guard case .held = slot, case .wait = next, isWanted, now - idleSince >= patience else {
      return []
    }
    let effects = beginAgain()
    (slot, isPutOff) = (.none, true)
    return effects + [.leaveSlot]
  }

  /// A process that dies is started again with the same chunks. A chunk that it dies of a second time is bad.
  private mutating func died(_ failure: JobFailure) -> [Effect] {
    guard deaths.count < Self.deathLimit else { return [.fail(failure)] }
    let segment = appended.count
    let isRepeated = deaths.contains(segment)
    deaths.append(segment)
    if isRepeated { _ = dropNext() }
    return beginAgain() + (isRepeated ? [.refuse(segment: segment, failure)] : [])
  }

  /// Drops the next chunk, and returns its segment.
  private mutating func dropNext() -> Int {
    waiting[appended.count] = nil
    return appended.count
  }

  /// Discards the file. All of its chunks wait again.
  private mutating func beginAgain() -> [Effect] {
    for (segment, chunk) in appended.enumerated() { waiting[segment] = chunk }
    (appended, isFull) = ([], false)
    return dropFile()
  }

  private mutating func dropFile() -> [Effect] {
    guard case .held(hasFile: true) = slot else { return [] }
    slot = .held(hasFile: false)
    return [.abandon]
  }
}
