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
  /// Whether the source waits until its pictures are encoded.
  private let waits: Bool
  /// The packets that wait for pictures, in the order in which they arrived.
  private var held: ArraySlice<LivePacket> = []
  private var ready: ArraySlice<LivePacket> = []
  private var hasEnded = false
  /// The losses of sound before the encoders.
  private var losses = RecordingLosses()

  /// How long packets wait for pictures of a source that does not wait. More than those wait for the encoder.
  private static let patience = Duration.seconds(5)
  /// The maximum number of packets that wait for pictures.
  private static let mostHeld = 1 << 14

  /// - Parameters:
  ///   - encoders: the encoders of streams, at most one of which is video.
  ///   - waits: whether the source can wait.
  init(
    _ packets: any LivePacketReader, encodedBy encoders: [LiveEncoder], waits: Bool
  ) {
    self.packets = packets
    self.waits = waits
    pictures = encoders.first { $0.stream.mediaKind == .video }.map {
      PictureEncoding($0, waits: waits)
    }
    sounds = Dictionary(
      encoders.filter { $0.stream.mediaKind == .audio }.map { ($0.stream.index, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  deinit { pictures?.abandon() }

  /// Returns and clears the losses before the encoders.
  func takeLosses() -> RecordingLosses {
    defer { losses = RecordingLosses() }
    if let pictures { losses.add(pictures.takeLosses()) }
    return losses
  }

  /// Waits for the next packet; `nil` at the end.
  func next() throws -> LivePacket? {
    while ready.isEmpty, !hasEnded {
      guard let packet = try packets.next() else {
        try finish()
        break
      }
      try take(packet)
      try release(at: packet.arrival)
    }
    return ready.popFirst()
  }

  private func take(_ packet: LivePacket) throws {
    if let pictures, packet.stream == pictures.stream.index {
      try pictures.take(packet)
    } else if sounds[packet.stream] == nil {
      held.append(packet)
    } else if packet.isDamaged {
      losses.damagedSamples += 1
    } else {
      encode(packet.packet, of: packet.stream, arrivingAt: packet.arrival)
    }
  }

  /// Encodes sound, or the rest of it. If that fails, the other streams are recorded on.
  private func encode(_ packet: Packet?, of stream: Int, arrivingAt arrival: Duration) {
    do {
      held +=
        try sounds[stream]?.encode(packet, arrivingAt: arrival).map {
          LivePacket(
            stream: stream, packet: $0.packet, arrival: $0.arrival, isDamaged: false,
            followsLoss: false)
        } ?? []
    } catch {
      sounds[stream] = nil
    }
  }

  private func release(at now: Duration) throws {
    guard let pictures else {
      ready += held
      held = []
      return
    }
    for picture in try pictures.collect() {
      releaseHeld { $0.arrival <= picture.arrival }
      ready.append(picture)
    }
    if !waits { releaseHeld { now - $0.arrival > Self.patience } }
    if held.count > Self.mostHeld { ready.append(held.removeFirst()) }
  }

  private func releaseHeld(while isDue: (LivePacket) -> Bool) {
    while let first = held.first, isDue(first) { ready.append(held.removeFirst()) }
  }

  private func finish() throws {
    hasEnded = true
    for stream in sounds.keys.sorted() {
      encode(nil, of: stream, arrivingAt: held.last?.arrival ?? .zero)
    }
    pictures?.finish()
    try release(at: .zero)
    ready += held
    held = []
  }
}
