/// The reason why a composition or a layer instruction could not be edited. The edited value is unchanged then.
public struct EditError: Error, Hashable, Sendable {
  /// The kind of failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String {
      case unknownTrack = "unknownTrack"
      case unknownAssetTrack = "unknownAssetTrack"
      case mediaTypeMismatch = "mediaTypeMismatch"
      case rangeOutsideAsset = "rangeOutsideAsset"
      case invalidDuration = "invalidDuration"
      case invalidTime = "invalidTime"
      case invalidSegments = "invalidSegments"
      case overlappingRamp = "overlappingRamp"
      case overflow = "overflow"
    }
    private let name: Name

    /// The composition has no track with the id.
    public static let unknownTrack = Code(name: .unknownTrack)
    /// The asset has no such track, or no tracks at all.
    public static let unknownAssetTrack = Code(name: .unknownAssetTrack)
    /// The asset's track and the composition's track have different media types.
    public static let mediaTypeMismatch = Code(name: .mediaTypeMismatch)
    /// A source range starts before the asset's time zero or ends after the asset.
    public static let rangeOutsideAsset = Code(name: .rangeOutsideAsset)
    /// A duration is zero or negative.
    public static let invalidDuration = Code(name: .invalidDuration)
    /// A time of the composition is negative.
    public static let invalidTime = Code(name: .invalidTime)
    /// The track's existing segments overlap, are out of order, or are empty.
    public static let invalidSegments = Code(name: .invalidSegments)
    /// A step or a ramp of a layer overlaps an existing one.
    public static let overlappingRamp = Code(name: .overlappingRamp)
    /// An exact time of the result does not fit in a 64-bit fraction.
    public static let overflow = Code(name: .overflow)

    /// The code's stable name.
    public var description: String { name.rawValue }
  }

  /// The kind of failure.
  public let code: Code
  /// The problem, its subject and the remedy.
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
      ? "add a track first" : "known tracks: \(known.map(String.init).joined(separator: ", "))"
    return EditError(code: .unknownTrack, message: "there is no track \(id); \(remedy)")
  }

  static func overflow(inTrack id: Int) -> EditError {
    EditError(
      code: .overflow,
      message: "track \(id): a time does not fit in a 64-bit fraction; use simpler times")
  }

  /// Throws if a duration is not positive.
  static func checkDuration(_ duration: RationalTime, of what: String) throws(EditError) {
    guard duration <= .zero else { return }
    throw EditError(
      code: .invalidDuration,
      message: "the duration of \(what) is \(duration) s; use a duration greater than 0")
  }

  /// Throws if a time is before the start of the composition.
  static func checkTime(_ time: RationalTime) throws(EditError) {
    guard time < .zero else { return }
    throw EditError(
      code: .invalidTime,
      message: "\(time) s is before the start of the composition; use a time of 0 or later")
  }

  /// Throws if a range of the composition starts before the composition or is empty.
  static func checkRange(_ range: TimeRange) throws(EditError) {
    try checkTime(range.start)
    try checkDuration(range.duration, of: "the range at \(range.start) s")
  }
}
