import Media
import Recording

/// The packets of a live source as they are recorded: the streams that MP4 files cannot hold are encoded.
///
/// Pictures take some time to be encoded. The packets of other streams wait for those that arrived before them, so that
/// the streams stay as close together as they arrived.
final class EncodedPackets {
  private let packets: any LivePacketReader
  /// Encodes the pictures; `nil` if they are copied.
  private let pictures: PictureEncoding?
  /// The encoders of sound, by stream.
  private var sounds: [Int: LiveEncoder]
  /// The streams of sound whose encoders have failed.
  private var failed: Set<Int> = []
  /// Whether the source waits until its pictures are encoded.
  private let waits: Bool
  /// Is told the number of a stream that can no longer be encoded, and why.
  private let ignore: (Int, String) -> Void
  /// The packets that wait for pictures, in the order in which they arrived.
  private var held: ArraySlice<LivePacket> = []
  private var ready: ArraySlice<LivePacket> = []
  private var hasEnded = false
  /// The reason why the source or an encoder failed, which is thrown once everything before it was returned.
  private var failure: (any Error)?
  /// The losses of sound before the encoders.
  private var losses = RecordingLosses()

  /// How long packets wait for a picture that a decoder holds back until the next one arrives, unless the source waits.
  /// They wait longer for an encoder that is busy.
  private static let patience = Duration.seconds(5)
  /// The maximum number of packets that wait for pictures.
  private static let heldLimit = 1 << 14

  /// - Parameters:
  ///   - encoders: the encoders of streams, at most one of which is video.
  ///   - waits: whether the source can wait.
  ///   - ignore: is told the number of a stream that can no longer be encoded, and why.
  init(
    _ packets: any LivePacketReader, encodedBy encoders: [LiveEncoder], waits: Bool,
    ignoring ignore: @escaping (Int, String) -> Void
  ) {
    self.packets = packets
    self.waits = waits
    self.ignore = ignore
    pictures = encoders.first { $0.stream.mediaKind == .video }.map {
      PictureEncoding($0, waits: waits)
    }
    sounds = Dictionary(
      encoders.filter { $0.stream.mediaKind == .audio }.map { ($0.stream.index, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  deinit { pictures?.abandon() }

  /// Returns and clears the losses before and in the encoders.
  func takeLosses() -> RecordingLosses {
    defer { losses = RecordingLosses() }
    if let pictures { losses.add(pictures.takeLosses()) }
    return losses
  }

  /// Waits for the next packet; `nil` at the end.
  ///
  /// - Throws: the reason why the source or an encoder failed, after the packets before it.
  func next() throws -> LivePacket? {
    while ready.isEmpty, !hasEnded {
      do {
        guard let packet = try packets.next() else {
          finish()
          break
        }
        try take(packet)
        release(at: packet.arrival)
        if let failure = pictures?.failure { throw failure }
      } catch {
        failure = error
        finish()
      }
    }
    if let packet = ready.popFirst() { return packet }
    if let failure { throw failure }
    return nil
  }

  private func take(_ packet: LivePacket) throws {
    if let pictures, packet.stream == pictures.stream.index {
      pictures.take(packet)
    } else if failed.contains(packet.stream) {
      losses.damagedSamples += 1
    } else if let encoder = sounds[packet.stream] {
      guard !packet.isDamaged else {
        losses.damagedSamples += 1
        return
      }
      try encode(packet.packet, by: encoder, of: packet.stream, arrivingAt: packet.arrival)
    } else {
      held.append(packet)
    }
  }

  /// Encodes sound, or the rest of it. If that fails, the other streams are recorded on.
  private func encode(
    _ packet: Packet?, by encoder: LiveEncoder, of stream: Int, arrivingAt arrival: Duration
  ) throws {
    var encoded: [LiveEncoder.Encoded] = []
    defer {
      held += encoded.map {
        LivePacket(
          stream: stream, packet: $0.packet, arrival: $0.arrival, isDamaged: false,
          followsLoss: false)
      }
      losses.damagedSamples += encoder.takeDamage()
    }
    do {
      try encoder.encode(packet, arrivingAt: arrival, into: &encoded)
    } catch {
      sounds[stream] = nil
      failed.insert(stream)
      guard pictures != nil || !sounds.isEmpty else { throw error }
      ignore(stream, "it cannot be encoded: \(error)")
    }
  }

  private func release(at now: Duration) {
    guard let pictures else {
      ready += held
      held = []
      return
    }
    for picture in pictures.collect() {
      releaseHeld { $0.arrival <= picture.arrival }
      ready.append(picture)
    }
    let pending = pictures.firstPending
    releaseHeld { packet in
      guard let pending, packet.arrival >= pending.arrival else { return true }
      return pending.isHeldBack && !waits && now - packet.arrival > Self.patience
    }
    while held.count > Self.heldLimit { ready.append(held.removeFirst()) }
  }

  private func releaseHeld(while isDue: (LivePacket) -> Bool) {
    while let first = held.first, isDue(first) { ready.append(held.removeFirst()) }
  }

  /// Encodes the rest.
  private func finish() {
    hasEnded = true
    for (stream, encoder) in sounds.sorted(by: { $0.key < $1.key }) {
      do {
        try encode(nil, by: encoder, of: stream, arrivingAt: held.last?.arrival ?? .zero)
      } catch {
        failure = failure ?? error
      }
    }
    pictures?.finish()
    release(at: .zero)
    ready += held
    held = []
    failure = failure ?? pictures?.failure
  }
}
