import Foundation
import Media
import Recording
import Threads

/// Encodes the pictures of a live source on a thread of its own, so that the source can be read meanwhile.
///
/// If the source cannot wait and the encoder falls behind, whole groups of pictures are dropped before they are decoded.
/// One thread takes and collects pictures.
///
/// `@unchecked` is sound because `condition` is locked during every access to the properties below it. The encoder belongs
/// to the encoding thread.
final class PictureEncoding: @unchecked Sendable {
  /// How many pictures may wait for the encoder.
  struct Limits {
    /// The maximum number of bytes. One picture is accepted in any case.
    var byteCount = 64 << 20
    /// How long the first one may have waited, unless the source waits.
    var age = Duration.seconds(2)
  }

  /// The encoded stream.
  let stream: LiveDemuxer.Stream
  private let encoder: LiveEncoder
  private let limits: Limits
  /// Whether the source waits for the encoder.
  private let waits: Bool

  private let condition = NSCondition()
  /// The pictures that wait; the first one is removed once it is encoded.
  private var waiting: [Input] = []
  private var byteCount = 0
  private var encoded: [LivePacket] = []
  /// Whether pictures are left out until the next one at which decoding can start.
  private var isDropping = false
  private var losses = RecordingLosses()
  private var hasEnded = false
  private var isDone = false
  private var failure: (any Error)?

  private struct Input {
    let packet: LivePacket
    let byteCount: Int
    let followsDrop: Bool
    /// When it began to wait.
    let start: Duration
  }

  init(_ encoder: LiveEncoder, waits: Bool, limits: Limits = Limits()) {
    stream = encoder.stream
    (self.encoder, self.waits, self.limits) = (encoder, waits, limits)
    BlockingThread.start(named: "encode") { [self] in work() }
  }

  /// Takes the next picture. Blocks only if the source waits.
  ///
  /// - Throws: the reason why the encoder failed.
  func take(_ packet: LivePacket) throws {
    let size = packet.packet.withUnsafeBytes { $0.count }
    condition.lock()
    defer { condition.unlock() }
    while waits, failure == nil, lacksRoom(for: size) { condition.wait() }
    if let failure { throw failure }
    // Pictures that depend on a lost one cannot be decoded correctly.
    let isLost = packet.isDamaged || (packet.followsLoss && !packet.packet.isKey)
    let lacksRoom = lacksRoom(for: size)
    if lacksRoom, !isLost, !isDropping || packet.packet.isKey { losses.droppedGroups += 1 }
    guard !isLost, !lacksRoom, !isDropping || packet.packet.isKey else {
      isDropping = true
      if isLost { losses.damagedSamples += 1 }
      return
    }
    let input = Input(
      packet: packet, byteCount: size, followsDrop: isDropping || packet.followsLoss,
      start: LiveSource.now)
    isDropping = false
    waiting.append(input)
    byteCount += size
    condition.broadcast()
  }

  private func lacksRoom(for size: Int) -> Bool {
    guard let first = waiting.first else { return false }
    return byteCount + size > limits.byteCount
      || (!waits && LiveSource.now - first.start > limits.age)
  }

  /// Removes the pictures that have been encoded, in order.
  ///
  /// - Throws: the reason why the encoder failed.
  func collect() throws -> [LivePacket] {
    try locked {
      if let failure { throw failure }
      defer { encoded = [] }
      return encoded
    }
  }

  /// Returns and clears the losses before the encoder.
  func takeLosses() -> RecordingLosses {
    locked {
      defer { losses = RecordingLosses() }
      return losses
    }
  }

  /// Encodes the rest, and waits until this is done.
  func finish() {
    condition.lock()
    defer { condition.unlock() }
    hasEnded = true
    condition.broadcast()
    while !isDone { condition.wait() }
  }

  /// Makes the thread end soon. What has not been encoded is lost.
  func abandon() {
    locked {
      waiting = []
      hasEnded = true
      condition.broadcast()
    }
  }

  private func locked<Value>(_ body: () throws -> Value) rethrows -> Value {
    condition.lock()
    defer { condition.unlock() }
    return try body()
  }
}

/// The encoding thread.
extension PictureEncoding {
  private func work() {
    var arrival = Duration.zero
    do {
      while let input = next() {
        arrival = input.packet.arrival
        add(
          try encoder.encode(
            input.packet.packet, arrivingAt: arrival, followsGap: input.followsDrop))
        locked {
          if !waiting.isEmpty { waiting.removeFirst() }
          byteCount -= input.byteCount
          condition.broadcast()
        }
      }
      add(try encoder.encode(nil, arrivingAt: arrival))
    } catch {
      locked { failure = error }
    }
    locked {
      isDone = true
      condition.broadcast()
    }
  }

  /// Waits for the next picture; `nil` if there will be none.
  private func next() -> Input? {
    locked {
      while waiting.isEmpty, !hasEnded { condition.wait() }
      return waiting.first
    }
  }

  private func add(_ packets: [LiveEncoder.Encoded]) {
    let packets = packets.map {
      LivePacket(
        stream: stream.index, packet: $0.packet, arrival: $0.arrival, isDamaged: false,
        followsLoss: $0.followsGap)
    }
    locked { encoded += packets }
  }
}
