import Timeline

/// Tracks which frames are damaged: those that the decoder could not decode completely, and those that may be predicted
/// from them, up to the next seekable keyframe.
struct DamageTracker {
  private let isIntraOnly: Bool
  /// The times of the frames at which earlier damage ends.
  private var fresh: Set<Int64>
  /// The places in decoding order of packets that were sent but not yet received as frames, by time.
  private var places: [Int64: Int] = [:]
  /// The number of packets sent.
  private var count = 0
  private var broken: [Int] = []
  /// The frames at which damage ends: their places, and their times.
  private var restarts: [(place: Int, time: Int64)] = []
  /// An upper bound on the number of packets that a decoder delays.
  private static let mostWaiting = 4096

  init(_ stream: VideoStream, isIntraOnly: Bool) {
    self.isIntraOnly = isIntraOnly
    fresh = Set(stream.frames.starts.map(\.time))
  }

  /// Whether no frame can still be predicted from a damaged packet.
  var isClean: Bool { broken.isEmpty }

  /// Continues with other frames of the stream. Their keyframes may have been sent already.
  mutating func goOn(with frames: FrameTable) {
    fresh = Set(frames.starts.map(\.time))
    restarts = places.filter { fresh.contains($0.key) }.map { (place: $0.value, time: $0.key) }
      .sorted { $0.place < $1.place }.suffix(2)
  }

  /// Records that decoding starts over.
  mutating func restart() { (places, count, broken, restarts) = ([:], 0, [], []) }

  /// Records the next packet in decoding order.
  mutating func send(time: Int64?) {
    count += 1
    guard let time else { return }
    if places.count > Self.mostWaiting { places = [:] }
    places[time] = count
    if fresh.contains(time) {
      restarts.append((count, time))
      // A later frame may precede this keyframe in presentation order, but not the previous one.
      if restarts.count > 2 { restarts.removeFirst() }
      if let first = restarts.first?.place {
        broken = broken.filter { $0 >= first || !isHealed($0) }
      }
    }
  }

  /// Records that the last packet could not be decoded.
  mutating func breakLast() { broken.append(count) }

  /// Records that no frame before `time` will be received from now on.
  mutating func forget(before time: Int64) { places = places.filter { $0.key >= time } }

  /// Returns whether a received frame is damaged.
  ///
  /// - Parameter isCorrupt: whether the decoder marked the frame itself as corrupt.
  mutating func receive(time: Int64, isCorrupt: Bool) -> Bool {
    let place = places.removeValue(forKey: time) ?? count
    if isCorrupt { broken.append(place) }
    if isIntraOnly { return broken.contains(place) }
    return broken.contains { reaches(place, time: time, from: $0) }
  }

  /// Whether a frame may be predicted from damage: it follows the damage in decoding order, with no keyframe between
  /// them that is presented at or before the frame.
  private func reaches(_ place: Int, time: Int64, from damage: Int) -> Bool {
    damage <= place
      && !restarts.contains { damage < $0.place && $0.place <= place && $0.time <= time }
  }

  /// Whether no pending frame can be predicted from a damaged one.
  private func isHealed(_ damage: Int) -> Bool {
    !places.contains { reaches($0.value, time: $0.key, from: damage) }
  }
}
