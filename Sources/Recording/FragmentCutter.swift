import Timeline

/// Decides where fragments end.
public struct FragmentCutter: Hashable, Sendable {
  private let length: RationalTime
  private let byteLimit: Int
  private var start: RationalTime?
  private var byteCount = 0
  private var elapsed = RationalTime.zero

  /// Creates a cutter.
  ///
  /// - Parameters:
  ///   - length: the minimum length of a fragment in seconds, unless the recording ends or has a gap.
  ///   - byteLimit: the number of bytes at which a fragment ends even if it is shorter.
  public init(length: RationalTime = RationalTime(1), byteLimit: Int = 64 << 20) {
    self.length = length
    self.byteLimit = byteLimit
  }

  /// The time in seconds for which a fragment may wait for streams that lag behind the others. It is longer than the lag
  /// that does not count as a jump; see ``SourceClock``.
  private static let longestWait = RationalTime(6)

  /// Whether the fragment ends even if a stream that it should contain has sent nothing.
  public var isOverdue: Bool {
    byteCount >= byteLimit || (try? elapsed - length).map { $0 >= Self.longestWait } ?? true
  }

  /// Whether the fragment ends before a group. It ends if groups were dropped, so that their gap is between fragments.
  public func endsFragment(beforeGroupAfterDrop followsDrop: Bool) -> Bool {
    start != nil && followsDrop
  }

  /// Adds a group to the fragment.
  ///
  /// - Parameters:
  ///   - groupStart: the start of the group's presentation, in seconds.
  ///   - groupEnd: the end of its presentation, in seconds.
  /// - Returns: whether the fragment ends after it.
  public mutating func add(
    from groupStart: RationalTime, to groupEnd: RationalTime, byteCount added: Int
  ) -> Bool {
    let start = self.start ?? groupStart
    self.start = start
    byteCount += added
    guard let elapsed = try? groupEnd - start else { return true }
    self.elapsed = elapsed
    return elapsed >= length || byteCount >= byteLimit
  }

  /// Begins the next fragment.
  public mutating func begin() {
    start = nil
    (byteCount, elapsed) = (0, .zero)
  }
}
