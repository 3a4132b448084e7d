/// The points at which the packets of a video stream can be cut without re-encoding.
///
/// Frames are identified by their index in the stream's ``FrameTable``. The packets from a start to an end contain
/// exactly the frames between the two, and depend on no others, except that a start's leading frames are left out:
/// those that follow it in the stream but are presented before it.
public struct CopyPoints: Hashable, Codable, Sendable {
  /// The frames that a copied part may start with, in increasing order: keyframes that reset the decoder, or that can
  /// be rewritten so that they do.
  public var starts: [Int]
  /// The distinct sets of references that an H.264 decoder keeps before starts that are rewritten: for each reference,
  /// its frame number and its place in presentation order, both relative to the start. `nil` if no start is rewritten
  /// with them.
  public private(set) var referenceStates: [[Int]]?
  /// For each start, the number of its state; -1 for a start that resets the decoder itself.
  private var startStates: [Int]?
  /// The frames before which a copied part may end: the first one, followed by runs of equal distances,
  /// `[first, distance, count, distance, count, …]`.
  public var ends: [Int]
  /// The largest delay between decoding a packet and presenting it, in frames.
  public var delay: Int
  /// The codec's profile if an encoder needs it, which is the case only for ProRes.
  public var profile: String?
  /// The ids of the parameter sets that the file declares.
  public var parameterSetIDs: [Int]
  /// The distinct sequence headers of an AV1 stream, as units with their sizes; `nil` for other codecs.
  public var sequenceHeaders: [[UInt8]]?
  /// The chroma location in those headers: 0 if none of them states it, 1 for left, 2 if any of them states top left;
  /// `nil` for other codecs.
  public var chromaPosition: Int?
  /// The highest bit rate within any second, in bits per second. For a stream shorter than a second, it is the mean.
  public var peakBitRate: Int?

  /// Creates points.
  ///
  /// - Parameters:
  ///   - references: the references before starts that are rewritten with them, by frame.
  ///   - ends: the frames before which a copied part may end, in increasing order.
  public init(
    starts: [Int], references: [Int: [Int]] = [:], ends: [Int], delay: Int, profile: String? = nil,
    parameterSetIDs: [Int] = [], sequenceHeaders: [[UInt8]]? = nil, chromaPosition: Int? = nil,
    peakBitRate: Int? = nil
  ) {
    self.starts = starts
    if !references.isEmpty {
      var (states, numbers) = ([[Int]](), [[Int]: Int]())
      startStates = starts.map { start in
        guard let state = references[start] else { return -1 }
        if let number = numbers[state] { return number }
        numbers[state] = states.count
        states.append(state)
        return states.count - 1
      }
      referenceStates = states
    }
    self.ends = Self.runs(of: ends)
    self.delay = delay
    self.profile = profile
    self.parameterSetIDs = parameterSetIDs
    self.sequenceHeaders = sequenceHeaders
    self.chromaPosition = chromaPosition
    self.peakBitRate = peakBitRate
  }

  private static func runs(of frames: [Int]) -> [Int] {
    var runs = Array(frames.prefix(1))
    for (earlier, later) in zip(frames, frames.dropFirst()) {
      if runs.count > 1, runs[runs.count - 2] == later - earlier {
        runs[runs.count - 1] += 1
      } else {
        runs += [later - earlier, 1]
      }
    }
    return runs
  }

  /// The frames in ``ends``, one by one, in increasing order.
  package var expandedEnds: [Int] {
    var listed = Array(ends.prefix(1))
    for place in stride(from: 1, to: ends.count - 1, by: 2) {
      for _ in 0..<ends[place + 1] { listed.append(listed[listed.count - 1] + ends[place]) }
    }
    return listed
  }

  /// The longest part of a range of frames that can be copied; `nil` if nothing can be copied.
  public func part(of frames: Range<Int>) -> Range<Int>? {
    guard let start = start(atOrAfter: frames.lowerBound), start < frames.upperBound,
      let end = end(atOrBefore: frames.upperBound), end > start
    else { return nil }
    return start..<end
  }

  /// The first start at or after a frame.
  public func start(atOrAfter frame: Int) -> Int? {
    let count = startCount(before: frame)
    return count < starts.count ? starts[count] : nil
  }

  private func startCount(before frame: Int) -> Int {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] < frame { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The references of a decoder before a start that is rewritten with them; `nil` for any other frame.
  public func references(before frame: Int) -> [Int]? {
    let place = startCount(before: frame)
    guard let startStates, let referenceStates, place < starts.count, starts[place] == frame,
      startStates.indices.contains(place), referenceStates.indices.contains(startStates[place])
    else { return nil }
    return referenceStates[startStates[place]]
  }

  /// The first frame at or after `frame` at which a copied part can be divided into two: a start that is also an end,
  /// so that no leading frames are left out.
  public func division(atOrAfter frame: Int) -> Int? {
    guard var end = ends.first else { return nil }
    var (place, left) = (1, 0)
    for start in starts[startCount(before: frame)...] {
      while end < start {
        if left == 0 {
          guard place + 1 < ends.count, ends[place] > 0 else { return nil }
          (left, place) = (ends[place + 1], place + 2)
        }
        let distance = ends[place - 2]
        let steps = min(left, (start - end + distance - 1) / distance)
        (end, left) = (end + steps * distance, left - steps)
      }
      if end == start { return start }
    }
    return nil
  }

  /// The last end at or before a frame.
  public func end(atOrBefore frame: Int) -> Int? {
    guard var end = ends.first, end <= frame else { return nil }
    for place in stride(from: 1, to: ends.count - 1, by: 2) {
      let (distance, count) = (ends[place], ends[place + 1])
      guard distance > 0 else { return end }
      let fitting = min(count, (frame - end) / distance)
      end += fitting * distance
      if fitting < count { break }
    }
    return end
  }
}
