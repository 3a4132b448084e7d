/// The reason why a composition or a layer instruction could not be edited. What was to be edited is as it was before.
public struct EditError: Error, Hashable, Sendable {
  /// The kind of failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String {
      case unknownTrack, unknownAssetTrack, mediaTypeMismatch, rangeOutsideAsset
      case invalidDuration, invalidTime, invalidSegments, overlappingRamp, overflow
    }
    private let name: Name

    /// The composition has no track with the id.
    public static let unknownTrack = Code(name: .unknownTrack)
    /// The asset has no such track, or none at all.
    public static let unknownAssetTrack = Code(name: .unknownAssetTrack)
    /// The asset's track carries another type of media than the track that it is to be inserted into.
    public static let mediaTypeMismatch = Code(name: .mediaTypeMismatch)
    /// A source range begins before the asset's time zero or ends after the asset.
    public static let rangeOutsideAsset = Code(name: .rangeOutsideAsset)
    /// A duration is zero or negative.
    public static let invalidDuration = Code(name: .invalidDuration)
    /// A time of the composition is negative.
    public static let invalidTime = Code(name: .invalidTime)
    /// The track's segments, as they were set, overlap, are out of order, or have no length.
    public static let invalidSegments = Code(name: .invalidSegments)
    /// A step or a ramp of a layer lies within a ramp that has been set, or around one.
    public static let overlappingRamp = Code(name: .overlappingRamp)
    /// An exact time of the outcome does not fit in a 64-bit fraction.
    public static let overflow = Code(name: .overflow)

    /// The code's stable name.
    public var description: String { name.rawValue }
  }

  /// The kind of failure.
  public let code: Code
  /// What failed, on which subject, and what to do.
  public let message: String
}

extension EditError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension EditError {
  static func unknownTrack(_ id: Int, known: [Int]) -> EditError {
    let remedy =
      known.isEmpty
      ? "add a track first" : "the tracks are \(known.map(String.init).joined(separator: ", "))"
    return EditError(code: .unknownTrack, message: "there is no track \(id); \(remedy)")
  }

  static func overflow(inTrack id: Int) -> EditError {
    EditError(
      code: .overflow,
      message: "track \(id): a time does not fit in a 64-bit fraction; use simpler times")
  }

  /// Refuses a length of time that is none.
  static func checkDuration(_ duration: RationalTime, of what: String) throws(EditError) {
    guard duration <= .zero else { return }
    throw EditError(
      code: .invalidDuration,
      message: "the duration of \(what) is \(duration) s; give a duration above 0")
  }

  /// Refuses a time before the composition begins.
  static func checkTime(_ time: RationalTime) throws(EditError) {
    guard time < .zero else { return }
    throw EditError(
      code: .invalidTime,
      message: "\(time) s is before the composition begins; give a time at or after 0")
  }

  /// Refuses a range of the composition that begins before it, or has no length.
  static func checkRange(_ range: TimeRange) throws(EditError) {
    try checkTime(range.start)
    try checkDuration(range.duration, of: "the range at \(range.start) s")
  }
}
