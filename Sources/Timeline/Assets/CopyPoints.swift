/// The points at which the packets of a video stream can be cut without re-encoding.
///
/// Frames are identified by their index in the stream's ``FrameTable``. The packets from a start to an end contain
/// exactly the frames between the two, and depend on no others.
public struct CopyPoints: Hashable, Codable, Sendable {
  /// The frames that a copied part may start with, in increasing order: keyframes that reset the decoder and are not
  /// followed by packets that are presented earlier.
  public var starts: [Int]
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
  /// - Parameter ends: The frames in increasing order.
  public init(
    starts: [Int], ends: [Int], delay: Int, profile: String? = nil, parameterSetIDs: [Int] = [],
    sequenceHeaders: [[UInt8]]? = nil, chromaPosition: Int? = nil, peakBitRate: Int? = nil
  ) {
    self.starts = starts
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

  /// The longest part of a range of frames that can be copied; `nil` if nothing can be copied.
  public func part(of frames: Range<Int>) -> Range<Int>? {
    guard let start = start(atOrAfter: frames.lowerBound), start < frames.upperBound,
      let end = end(atOrBefore: frames.upperBound), end > start
    else { return nil }
    return start..<end
  }

  /// The first start at or after a frame.
  public func start(atOrAfter frame: Int) -> Int? {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] < frame { low = middle + 1 } else { high = middle }
    }
    return low < starts.count ? starts[low] : nil
  }

  /// The last end at or before a frame.
  private func end(atOrBefore frame: Int) -> Int? {
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
