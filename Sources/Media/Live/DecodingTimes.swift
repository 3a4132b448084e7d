/// Finds the decoding times of pictures of which only the presentation times are known, and which arrive in the order in
/// which they are decoded.
///
/// If at most *n* pictures that are decoded earlier are presented later, the times of decoding are the sorted times of
/// presentation, *n* pictures later.
package struct DecodingTimes {
  /// The number *n*, which grows if the pictures show that it is too small.
  private var depth: Int
  /// The presentation times that have not become decoding times, sorted.
  private var waiting: [Int64] = []
  private var last: Int64?
  /// The ticks between the decoding times of the first pictures.
  private var step: Int64 = 1
  /// The presentation time of the last picture.
  private var lastShown: Int64?

  /// The maximum of *n*: no codec needs more.
  private static let mostDepth = 16
  /// The number of ticks between two pictures that do not belong together.
  private let longestStep: Int64

  /// - Parameters:
  ///   - depth: the number *n* as the stream states it.
  ///   - ticksPerSecond: the unit of the times.
  package init(depth: Int, ticksPerSecond: Int64) {
    self.depth = min(max(depth, 0), Self.mostDepth)
    longestStep = 5 * ticksPerSecond
  }

  /// The decoding time of the next picture, which is never after its presentation time unless `depth` was too small.
  ///
  /// - Parameter duration: the length of the picture in ticks; 0 if it is unknown.
  package mutating func next(presentedAt time: Int64, lasting duration: Int64) -> Int64 {
    if let lastShown, abs(time - lastShown) > longestStep { (waiting, last) = ([], nil) }
    lastShown = time
    waiting.insert(time, at: waiting.firstIndex { $0 > time } ?? waiting.endIndex)
    if waiting.count > depth {
      let oldest = waiting.removeFirst()
      guard let last, oldest <= last else {
        last = oldest
        return oldest
      }
      // A picture is presented before one that is already decoded.
      if depth < Self.mostDepth { depth += 1 }
      step = 1
      self.last = last + 1
      return last + 1
    }
    // The first pictures are decoded before the first time of presentation.
    if last == nil { step = min(max(duration, 1), longestStep) }
    let next = last.map { $0 + step } ?? (time - Int64(depth) * step)
    last = next
    return next
  }
}
