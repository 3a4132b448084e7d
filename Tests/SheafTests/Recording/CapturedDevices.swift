import Media
import Sheaf

/// Devices that deliver given samples.
final class CapturedDevices: CaptureInput {
  /// A sample, with its own bytes.
  struct Sample {
    var stream: Int
    var bytes: [UInt8]
    var time: Duration
    var duration: Duration
    var isDamaged = false
    var followsLoss = false
  }

  let formats: [CapturedFormat]
  private var samples: ArraySlice<Sample>
  /// Called once everything was delivered.
  var isDone: () -> Void = {}
  /// Returns what follows the samples; `nil` at the end.
  var more: () throws -> Sample? = { nil }
  private(set) var isClosed = false

  init(_ formats: [CapturedFormat], _ samples: [Sample]) {
    self.formats = formats
    self.samples = samples.sorted { $0.time < $1.time }[...]
  }

  func open(while isWanted: () -> Bool) throws -> Bool { isWanted() }

  func receive(within milliseconds: Int, _ take: (CapturedSample) throws -> Void) throws {
    guard let next = try samples.popFirst() ?? more() else { return isDone() }
    try next.bytes.withUnsafeBytes {
      try take(
        CapturedSample(
          stream: next.stream, bytes: $0, time: next.time, duration: next.duration,
          isDamaged: next.isDamaged, followsLoss: next.followsLoss))
    }
  }

  func close() { isClosed = true }
}
