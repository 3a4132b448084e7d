import Timeline

/// Tells which frames are damaged: those that the decoder could not decode whole, and those that may be predicted from
/// them, up to the next keyframe that decoding can begin at.
struct DamageTracker {
  private let isIntraOnly: Bool
  /// The times of the frames at which earlier damage ends.
  private let fresh: Set<Int64>
  /// For each packet sent, and not received as a frame, its place in decoding order by its time.
  private var places: [Int64: Int] = [:]
  /// How many packets were sent.
  private var count = 0
  private var broken: [Int] = []
  private var restarts: [Int] = []
  /// More packets than a decoder keeps back.
  private static let mostWaiting = 4096

  init(_ stream: VideoStream, isIntraOnly: Bool) {
    self.isIntraOnly = isIntraOnly
    fresh = Set(stream.frames.starts.map(\.time))
  }

  /// Notes that decoding begins anew.
  mutating func restart() { (places, count, broken, restarts) = ([:], 0, [], []) }

  /// Notes the next packet in decoding order.
  mutating func send(time: Int64?) {
    count += 1
    guard let time else { return }
    if places.count > Self.mostWaiting { places = [:] }
    places[time] = count
    if fresh.contains(time) {
      restarts.append(count)
      // A frame that is still to come may precede the keyframe, not the one before it.
      if restarts.count > 2 { restarts.removeFirst() }
      if let first = restarts.first { broken = broken.filter { $0 >= first || !isHealed($0) } }
    }
  }

  /// Notes that the packet sent last could not be decoded.
  mutating func breakLast() { broken.append(count) }

  /// Whether a frame that was received is damaged.
  ///
  /// - Parameter isCorrupt: whether the decoder says so of the frame itself.
  mutating func receive(time: Int64, isCorrupt: Bool) -> Bool {
    let place = places.removeValue(forKey: time) ?? count
    if isCorrupt { broken.append(place) }
    if isIntraOnly { return broken.contains(place) }
    return broken.contains { damage in
      damage <= place && !restarts.contains { damage < $0 && $0 <= place }
    }
  }

  /// Whether no frame that waits can be predicted from a broken one.
  private func isHealed(_ damage: Int) -> Bool {
    !places.values.contains { place in
      damage <= place && !restarts.contains { damage < $0 && $0 <= place }
    }
  }
}
