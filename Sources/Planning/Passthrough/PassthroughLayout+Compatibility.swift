import ProjectFormat
import Timeline

extension PassthroughLayout {
  /// The key of the setting that requires a single sample description.
  static let compatibilityPath: FindingPath = "export.compatibility"

  /// Checks that one sample description can hold all parameter sets, each with an id of its own, so that a player needs
  /// neither other descriptions nor the sets in band.
  ///
  /// Encoded parts of H.264 get an id that no copied stream uses. In H.265 and AV1, ids do not tell parameter sets
  /// apart, so all parts must have the same ones.
  ///
  /// - Parameter isEncoding: whether some parts are encoded.
  /// - Throws: ``ProjectError`` if they cannot be held.
  static func checkOneDescription(
    of copied: [CopiedRange], codec: VideoSettings.Codec, isEncoding: Bool
  ) throws(ProjectError) {
    var known: [[[UInt8]]: [Int]] = [:]
    for range in copied { known[range.parameterSets] = range.parameterSetIDs }
    let isOne: Bool
    switch codec {
    case .vp9, .prores: isOne = true
    case .hevc, .av1: isOne = known.isEmpty || known.count == 1 && !isEncoding
    case .h264:
      let ids = known.values.flatMap(\.self)
      isOne = Set(ids).count == ids.count && (!isEncoding || Set(ids).count < 32)
    }
    guard !isOne else { return }
    throw ProjectError(
      path: compatibilityPath,
      problem: "the parts of the file have different parameter sets, which one sample description"
        + " cannot hold",
      remedy: "choose the preset \"automatic\" or \"highestQuality\", which encode every frame, or"
        + " remove \"compatibility\"")
  }
}
