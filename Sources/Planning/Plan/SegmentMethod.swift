import Timeline

/// How the frames of a segment are made: copied, or encoded for a reason.
public struct SegmentMethod: Hashable, Codable, Sendable, RawRepresentable {
  /// The method, or the reason for encoding.
  public var kind: Kind
  /// The time in the clip of the keyframe before which its frames are encoded, for ``Kind/keyframe``.
  public var keyframe: RationalTime?

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

  /// Parses the text that the ledger stores: the kind, and the keyframe's time if there is one.
  public init?(rawValue: String) {
    let parts = rawValue.split(separator: " ", maxSplits: 1)
    guard let name = parts.first, let kind = Kind(rawValue: String(name)) else { return nil }
    self.kind = kind
    guard parts.count > 1 else { return }
    guard let time = try? RationalTime(String(parts[1])) else { return nil }
    keyframe = time
  }

  /// The kind, and the keyframe's time if there is one: `keyframe 36/5`.
  public var rawValue: String {
    kind.rawValue + (keyframe.map { " \($0)" } ?? "")
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
