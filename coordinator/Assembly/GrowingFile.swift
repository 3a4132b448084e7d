import Crypto
import FarmAPI

/// A job's file that is being assembled: the chunks that are in the file, and those that wait to be appended.
struct GrowingFile: Sendable {
  /// The frame counts of the job's segments.
  let frameCounts: [Int32]
  /// The accepted chunks that are not in the file, by segment.
  private(set) var waiting: [Int: Digest] = [:]
  /// The chunks in the file, in order.
  private(set) var appended: [Digest] = []
  /// Whether the file is complete without the remaining chunks.
  private(set) var isFull = false
  /// Whether the job gave up its place for another job. It then waits until it has all its chunks.
  private(set) var isPutOff = false
  /// The segments whose chunks were being appended when an assembling process died.
  var deaths: [Int] = []

  init(frameCounts: [Int32]) { self.frameCounts = frameCounts }

  /// The next chunk to append, if it has arrived.
  var nextChunk: Digest? { waiting[appended.count] }

  /// Whether the file contains everything that belongs in it.
  var isComplete: Bool { isFull || appended.count == frameCounts.count }

  /// Whether a new file can be started.
  var mayBegin: Bool {
    isPutOff || frameCounts.isEmpty ? waiting.count == frameCounts.count : nextChunk != nil
  }

  /// The error of a job whose remaining chunks will not arrive.
  var incomplete: JobError {
    JobError(
      "coordinator", "only \(appended.count) of \(frameCounts.count) chunks were appended")
  }

  /// Processes an event.
  mutating func take(_ event: AssemblyEvent) {
    switch event {
    case .news(.accepted(let chunk)): waiting[chunk.segment] = chunk.sha256
    case .news(.restarted): (waiting, appended, isFull) = ([:], [], false)
    case .tick, .placed: break
    }
  }

  /// Records that the next chunk is in the file.
  mutating func append(_ chunk: Digest, isFull: Bool) {
    waiting[appended.count] = nil
    appended.append(chunk)
    self.isFull = isFull
  }

  /// Drops a segment's bad chunk.
  mutating func drop(_ segment: Int) { waiting[segment] = nil }

  /// Makes all chunks wait again because the file is lost.
  mutating func beginAgain() {
    for (index, chunk) in appended.enumerated() { waiting[index] = chunk }
    (appended, isFull) = ([], false)
  }

  /// Gives up the unfinished file for another job.
  mutating func putOff() {
    beginAgain()
    isPutOff = true
  }
}
