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
  /// The arrivals of the pictures that were taken and have not been collected.
  private var pending: [Duration] = []
  /// Why pictures are left out until the next one at which decoding can start; `nil` if they are not.
  private var omission: Omission?
  private var losses = RecordingLosses()
  private var hasEnded = false
  private var isDone = false
  private var error: (any Error)?

  private enum Omission { case dropped, lost }

  private struct Input {
    let packet: LivePacket
    let byteCount: Int
    let followsGap: Bool
    /// When it began to wait.
    let start: Duration
  }

  init(_ encoder: LiveEncoder, waits: Bool, limits: Limits = Limits()) {
    stream = encoder.stream
    (self.encoder, self.waits, self.limits) = (encoder, waits, limits)
    BlockingThread.start(named: "encode") { [self] in work() }
  }

  /// Takes the next picture. Blocks only if the source waits.
  func take(_ packet: LivePacket) {
    let size = packet.packet.withUnsafeBytes { $0.count }
    condition.lock()
    defer { condition.unlock() }
    while waits, !isDone, lacksRoom(for: size) { condition.wait() }
    guard !isDone else { return }
    if let omitted = omission(of: packet, size: size) {
      switch omitted {
      case .lost: losses.damagedSamples += 1
      // The rest of a group is dropped with its first picture.
      case .dropped: if omission != .dropped || packet.packet.isKey { losses.droppedGroups += 1 }
      }
      omission = omitted
      return
    }
    let input = Input(
      packet: packet, byteCount: size, followsGap: omission != nil || packet.followsLoss,
      start: MonotonicClock.now)
    omission = nil
    waiting.append(input)
    pending.append(packet.arrival)
    byteCount += size
    condition.broadcast()
  }

  /// Why a picture is left out; `nil` if it is encoded.
  private func omission(of packet: LivePacket, size: Int) -> Omission? {
    // Pictures that depend on a lost one cannot be decoded correctly.
    if packet.isDamaged || (packet.followsLoss && !packet.packet.isKey) { return .lost }
    if lacksRoom(for: size) { return .dropped }
    return packet.packet.isKey ? nil : omission
  }

  private func lacksRoom(for size: Int) -> Bool {
    guard let first = waiting.first else { return false }
    return byteCount + size > limits.byteCount
      || (!waits && MonotonicClock.now - first.start > limits.age)
  }

  /// Removes the pictures that have been encoded, in order.
  func collect() -> [LivePacket] {
    locked {
      if let last = encoded.last { pending.removeAll { $0 <= last.arrival } }
      defer { encoded = [] }
      return encoded
    }
  }

  /// The first of the pictures that have not been collected; `nil` if there are none.
  ///
  /// It is held back if the encoder has nothing to do and has encoded nothing new: a decoder may need the next picture first.
  var firstPending: (arrival: Duration, isHeldBack: Bool)? {
    locked { pending.first.map { ($0, waiting.isEmpty && encoded.isEmpty) } }
  }

  /// The reason why the encoder failed, after which no more pictures are encoded.
  var failure: (any Error)? { locked { error } }

  /// Returns and clears the losses before the encoder, and of pictures that it could not decode.
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
        try encode(input.packet.packet, arrivingAt: arrival, followsGap: input.followsGap)
        locked {
          if !waiting.isEmpty { waiting.removeFirst() }
          byteCount -= input.byteCount
          condition.broadcast()
        }
      }
      try encode(nil, arrivingAt: arrival, followsGap: false)
    } catch {
      locked { self.error = error }
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

  private func encode(
    _ packet: Packet?, arrivingAt arrival: Duration, followsGap: Bool
  ) throws {
    var packets: [LiveEncoder.Encoded] = []
    // What was encoded before a failure is kept.
    defer {
      let packets = packets.map {
        LivePacket(
          stream: stream.index, packet: $0.packet, arrival: $0.arrival, isDamaged: false,
          followsLoss: $0.followsGap)
      }
      locked {
        encoded += packets
        losses.damagedSamples += encoder.takeDamage()
      }
    }
    try encoder.encode(packet, arrivingAt: arrival, followsGap: followsGap, into: &packets)
  }
}
