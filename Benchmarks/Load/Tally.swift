import Foundation
import Synchronization

/// A call whose response times are measured.
enum Call: String, CaseIterable {
  case lease = "lease granted"
  case heartbeat = "heartbeat"
  case link = "link to the store"
  case upload = "chunk stored"
  case delivery = "chunk delivered"
}

/// Counts the events of many tasks.
final class Tally: Sendable {
  struct Counts: Sendable {
    /// The response times of each call, in milliseconds.
    var times: [Call: [Float]] = [:]
    /// The total time for which workers rendered, and for which they existed.
    var rendering = Duration.zero
    var working = Duration.zero
    var stopped = 0
    /// The number of chunks that the object store did not accept.
    var storeRefusals = 0
    var streams = 0
    var events = 0
    /// The delivered segments. One may be delivered twice, by workers that rendered it at the same time.
    fileprivate var segments: Set<Segment> = []
    /// The bytes of delivered chunks.
    var chunkBytes = 0
    var errors: [String] = []
    /// The stages that are complete but not reported.
    fileprivate var stages: [Stage] = []
    fileprivate var stageCount = 0
    /// The numbers of calls before the current stage.
    fileprivate var earlier: [Call: Int] = [:]

    /// Ends a stage.
    fileprivate mutating func endStage(at end: Duration) -> Stage {
      var stage = Stage(end: end, self)
      for (call, times) in times {
        stage.times[call] = Array(times[(earlier[call] ?? 0)...])
        earlier[call] = times.count
      }
      return stage
    }
  }

  fileprivate struct Segment: Hashable, Sendable {
    let job: String
    let index: Int
  }

  private let counts = Mutex(Counts())
  private let begin = ContinuousClock.now
  /// The number of segments to deliver; `nil` for a run of a fixed time.
  private let goal: Int?
  /// The number of segments of a stage; `nil` for a run without stages.
  private let stage: Int?

  init(segments: Int?, stage: Int?) { (goal, self.stage) = (segments, stage) }

  /// Changes the counts.
  func note(_ change: (inout Counts) -> Void) { counts.withLock { change(&$0) } }

  /// Counts a call.
  func note(_ call: Call, _ took: Duration) {
    counts.withLock { $0.times[call, default: []].append(Float(took / .milliseconds(1))) }
  }

  /// Counts a delivered chunk.
  func noteDelivered(_ lease: BriefLease, byteCount: Int) {
    counts.withLock { counts in
      counts.chunkBytes += byteCount
      let isNew = counts.segments.insert(Segment(job: lease.job, index: lease.segment)).inserted
      guard isNew, let stage, counts.segments.count >= stage * (counts.stageCount + 1) else {
        return
      }
      counts.stageCount += 1
      counts.stages.append(counts.endStage(at: begin.duration(to: .now)))
    }
  }

  /// Counts an error.
  func fail(_ message: String) { counts.withLock { $0.errors.append(message) } }

  /// The number of delivered segments.
  var delivered: Int { counts.withLock(\.segments.count) }

  /// Whether all segments are delivered.
  var isComplete: Bool { goal.map { delivered >= $0 } ?? false }

  /// Takes the oldest stage that has not been reported.
  func nextStage() -> Stage? {
    counts.withLock { $0.stages.isEmpty ? nil : $0.stages.removeFirst() }
  }

  /// The last stage, if it is not complete and a segment was delivered in it.
  func lastStage() -> Stage? {
    counts.withLock { counts in
      guard let stage, counts.segments.count > stage * counts.stageCount else { return nil }
      return counts.endStage(at: begin.duration(to: .now))
    }
  }

  func report(_ configuration: LoadConfiguration) -> LoadReport {
    LoadReport(
      configuration: configuration, elapsed: begin.duration(to: .now),
      counts: counts.withLock { $0 })
  }
}

/// Some of the segments.
struct Stage: Sendable {
  /// The time from the start of the run to the end of the stage.
  let end: Duration
  /// The number of segments that are delivered at the end of the stage.
  let segments: Int
  /// The bytes of the chunks that are delivered at the end of the stage.
  let chunkBytes: Int
  let errors: Int
  /// The response times of the calls in the stage, in milliseconds.
  fileprivate(set) var times: [Call: [Float]] = [:]

  fileprivate init(end: Duration, _ counts: Tally.Counts) {
    self.end = end
    segments = counts.segments.count
    chunkBytes = counts.chunkBytes
    errors = counts.errors.count
  }

  private struct Line: Encodable {
    let seconds: Double
    let segments: Int
    let chunkBytes: Int
    let errors: Int
    let calls: [String: ResponseTimes]
  }

  /// Prints the stage as a line of JSON.
  func print() {
    let calls = times.map { ($0.key.rawValue, ResponseTimes($0.value)) }
    let line = Line(
      seconds: end / .seconds(1), segments: segments, chunkBytes: chunkBytes, errors: errors,
      calls: Dictionary(uniqueKeysWithValues: calls))
    guard let json = try? JSONEncoder().encode(line) else { return }
    FileHandle.standardOutput.write(json + Data("\n".utf8))
  }
}
