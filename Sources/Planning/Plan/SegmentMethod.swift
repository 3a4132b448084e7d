import Timeline

/// How the frames of a segment are made: copied, or encoded for a reason.
public struct SegmentMethod: Hashable, Codable, Sendable, RawRepresentable {
  /// The method, or the reason for encoding.
  public var kind: Kind
  /// The time in the clip of the keyframe before which its frames are encoded, for ``Kind/keyframe``.
  public var keyframe: RationalTime?
  /// The numbers of its frames that are encoded for other reasons. ``kind`` is that of most frames.
  public var others: [Kind: Int] = [:]

  /// Creates a method without a keyframe.
  public init(_ kind: Kind) { self.kind = kind }

  /// Frames that are encoded because the clip's next keyframe is later.
  ///
  /// - Parameter time: the time of that keyframe in the clip, in seconds.
  public static func encoded(beforeKeyframeAt time: RationalTime) -> SegmentMethod {
    var method = SegmentMethod(.keyframe)
    method.keyframe = time
    return method
  }

  /// The packets of a source are copied.
  public static let copied = SegmentMethod(.copied)

  /// Parses the text that the ledger stores; see ``rawValue``.
  public init?(rawValue: String) {
    var reasons = rawValue.split(separator: ",", omittingEmptySubsequences: false).map {
      $0.split(separator: " ", maxSplits: 1)
    }[...]
    guard let main = reasons.popFirst(), let name = main.first,
      let kind = Kind(rawValue: String(name))
    else { return nil }
    self.kind = kind
    if main.count > 1 {
      guard let time = try? RationalTime(String(main[1])) else { return nil }
      keyframe = time
    }
    for reason in reasons {
      guard reason.count == 2, let other = Kind(rawValue: String(reason[0])), other != kind,
        let count = Int(reason[1]), count > 0, others.updateValue(count, forKey: other) == nil
      else { return nil }
    }
  }

  /// The kind, the keyframe's time if there is one, and the other reasons with their numbers of frames:
  /// `keyframe 36/5,blended 30,size 4`.
  public var rawValue: String {
    let names = others.map { (name: $0.key.rawValue, count: $0.value) }.sorted { $0.name < $1.name }
    return kind.rawValue + (keyframe.map { " \($0)" } ?? "")
      + names.map { ",\($0.name) \($0.count)" }.joined()
  }

  /// Adds a segment's frames to numbers of frames by the way in which they are made.
  ///
  /// - Parameter frameCount: the number of its frames.
  public func count(_ frameCount: Int, in counts: inout [Kind: Int]) {
    counts[kind, default: 0] += frameCount - others.values.reduce(0, +)
    for (other, count) in others { counts[other, default: 0] += count }
  }

  /// Whether packets are copied.
  public var isCopied: Bool { kind == .copied }

  /// The reason why the segment is encoded, for people; `nil` if it is copied.
  public var reason: String? {
    guard kind == .keyframe, let keyframe else { return kind.reason }
    return "the clip has no keyframe before \(keyframe.clock)"
  }
}

extension RationalTime {
  /// The time on a clock, rounded to thousandths of a second: `00:00:07.2`.
  fileprivate var clock: String {
    let whole = Int128(denominator)
    let thousandths = max((Int128(numerator) * 1000 + whole / 2) / whole, 0)
    let seconds = thousandths / 1000
    func padded(_ number: Int128) -> String { number < 10 ? "0\(number)" : "\(number)" }
    var fraction = String(thousandths % 1000 + 1000).dropFirst()
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return "\(padded(seconds / 3600)):\(padded(seconds / 60 % 60)):\(padded(seconds % 60))"
      + (fraction.isEmpty ? "" : ".\(fraction)")
  }
}
