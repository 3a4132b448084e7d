import Timeline

/// How much an encoder may keep of the pictures that it is given, by the bytes of one: a worker's slot has 300 MiB at
/// 1920 × 1080, of which about 190 are the encoder's.
///
/// Larger pictures are encoded as those of 1920 × 1080 are, and take more memory in proportion.
enum EncoderRoom: Hashable {
  /// For pictures of up to half the bytes of 1920 × 1080 with 8 bits: what the encoder's preset says, but for long
  /// look-aheads.
  case ample
  /// For larger ones with 8 bits, and those of 10 bits that are no larger than 1920 × 1080 with 8.
  case high
  /// For larger ones with 10 bits.
  case deep

  /// The room for pictures of a size.
  init(size: PixelSize, bitDepth: Int) {
    let samples = size.width * size.height
    let bytes = bitDepth > 8 ? 2 * samples : samples
    let whole = 1920 * 1088
    self = 2 * bytes <= whole ? .ample : bitDepth > 8 && bytes > whole ? .deep : .high
  }
}

extension VideoEncoderSettings {
  /// The encoder's options that keep it within its room, by name. What the project sets among its own options is left to
  /// it.
  package var limits: [String: String] {
    let limits: [String: String] =
      switch codec {
      case .h264: limitsOfH264
      case .hevc: limitsOfHEVC
      case .av1: limitsOfAV1
      // In one pass libvpx makes no use of what it looks ahead: the bytes are the same.
      case .vp9: ["lag-in-frames": "\(room == .ample ? min(25, fittingLookahead) : 0)"]
      case .prores: [:]
      }
    return limits.filter { name, _ in !isSet(name) }
  }

  private var room: EncoderRoom { EncoderRoom(size: size, bitDepth: bitDepth) }

  /// The options for the library: its look-ahead, and as many references and B-frames as fit, if its preset has more.
  private var limitsOfH264: [String: String] {
    guard room != .ample else { return ["rc-lookahead": "\(usualLookahead)"] }
    let isDeep = room == .deep
    let most = isCrowded ? (usual: 8, deep: 2) : (usual: 12, deep: 4)
    var limits = ["rc-lookahead": "\(min(usualLookahead, isDeep ? most.deep : most.usual))"]
    let references =
      [
        "ultrafast": 1, "superfast": 1, "veryfast": 1, "faster": 2, "fast": 2, "medium": 3,
        "slow": 5, "slower": 8,
      ][preset] ?? 16
    let isAnimation = tune == "animation"
    let mostReferences = isDeep ? 2 : 5
    if references > mostReferences || (isAnimation && references > 1) {
      limits["ref"] = "\(mostReferences)"
    }
    // Exhaustive search keeps sums over every picture.
    if preset == "placebo" { limits["me"] = "umh" }
    guard tune != "zerolatency", profile != "baseline", preset != "ultrafast" else { return limits }
    if isAnimation || ["veryslow", "placebo"].contains(preset) { limits["bframes"] = "3" }
    guard isDeep else { return limits }
    limits["b-pyramid"] = "none"
    // The best placement of B-frames looks 12 pictures ahead, regardless of the look-ahead.
    if ["slower", "veryslow", "placebo"].contains(preset) { limits["b-adapt"] = "1" }
    return limits
  }

  /// libx265 holds the pictures of its look-ahead and those that it puts in order, and most of all its references, each
  /// with all that was decided about it.
  private var limitsOfHEVC: [String: String] {
    guard room != .ample else { return ["rc-lookahead": "\(max(usualLookahead, 5))"] }
    let isDeep = room == .deep
    // It has to look further ahead than there are B-frames in a row.
    let own = (more["bframes"] ?? more["bf"]).flatMap { Int($0) } ?? 0
    var limits = ["rc-lookahead": "\(max(isDeep ? 1 : 3, own + 1))"]
    if isBlind {
      limits["rc-lookahead"] = "0"
      // As with the tree of blocks that refer to one another, which needs a look-ahead.
      if hasTree { limits["qcomp"] = "1" }
    }
    if !["ultrafast", "superfast"].contains(preset) { limits["ref"] = isDeep ? "1" : "2" }
    if isDeep { limits["weightp"] = "0" }
    guard tune != "zerolatency" else { return limits }
    limits["bframes"] = isDeep ? "0" : "2"
    limits["b-pyramid"] = "0"
    return limits
  }

  /// Whether libx265 looks at no picture ahead, without which it holds three pictures less. Without adaptive quantisation
  /// its picture parameter sets then say that no block has a quantiser of its own: not those of other segments.
  private var isBlind: Bool {
    codec == .hevc && room == .deep && isCrowded && tune != "psnr"
      && !["ultrafast", "superfast"].contains(preset)
      && !["bframes", "rc-lookahead", "aq-mode", "aq-strength"].contains(where: isSet)
  }

  /// Whether libx265 would weigh blocks by what refers to them (`cutree`) if it looked ahead, and spread bits by its own
  /// measure.
  private var hasTree: Bool {
    !["grain", "zerolatency"].contains(tune) && !isSet("cutree") && !isSet("qcomp")
  }

  /// The amount by which a rate factor is raised, so that frames of blended segments have the quantisers of their
  /// neighbours: libx265 itself raises it by 13.5 × (1 − `qcomp`), with a `qcomp` of 0.6, if it uses its tree
  /// (`RateControl::init`).
  package var crfShift: Double {
    guard isBlind, hasTree, case .quality(let crf) = rate else { return 0 }
    return min(5.4, 51 - crf)
  }

  /// SVT-AV1 holds a group of pictures, one more for each that it looks ahead, three more to filter over time, and, from
  /// preset 5 down, what it tried for each block.
  private var limitsOfAV1: [String: String] {
    guard room != .ample else { return [:] }
    let number = Int(preset) ?? 8
    var limits = ["lookahead": "0"]
    let isTight = number <= 5 || room == .deep
    limits["hierarchical-levels"] = isTight ? "2" : "3"
    if isTight { limits["enable-tf"] = "0" }
    if isCrowded || (room == .deep && number <= mostThoroughPreset) {
      (limits["enable-restoration"], limits["enable-mfmv"]) = ("0", "0")
    }
    // Pictures in order need none to wait for others; the encoder then has its fast presets alone.
    if isCrowded, room == .deep { limits["pred-struct"] = "1" }
    return limits
  }

  /// SVT-AV1's lowest preset that fits beside decoders: with 10 bits the next takes 60 MiB more, with 8 bits preset 0
  /// takes 11 MiB more than 2.
  private var mostThoroughPreset: Int {
    switch room {
    case .ample: 0
    case .high: bitDepth > 8 ? 0 : 2
    case .deep: 6
    }
  }

  /// The preset, or the most thorough one that fits.
  package var fittingPreset: String {
    guard codec == .av1, let number = Int(preset) else { return preset }
    return "\(max(number, mostThoroughPreset))"
  }

  /// Pictures that rate control looks ahead where there is room: the preset's number, but no more than 27 at
  /// 1280 × 720, and in proportion at other sizes.
  private var usualLookahead: Int {
    let usual =
      [
        "ultrafast": 0, "superfast": 0, "veryfast": 10, "faster": 20, "fast": 30, "medium": 40,
        "slow": 50,
      ][preset] ?? 60
    return min(usual, fittingLookahead)
  }

  private var fittingLookahead: Int {
    max(12 * 1920 * 1080 / max(size.width * size.height, 1), 12)
  }

  /// Whether the project sets an option, by this name or another that the encoder or libavcodec has for it.
  private func isSet(_ name: String) -> Bool {
    let names = Self.otherNames[name, default: []] + [name]
    return more.keys.contains { names.contains($0.lowercased().replacing("_", with: "-")) }
  }

  private static let otherNames = [
    "ref": ["refs", "frameref"], "bframes": ["bf"], "b-adapt": ["b-strategy"],
    "me": ["me-method", "motion-est"], "lookahead": ["la-depth"],
    "hierarchical-levels": ["hielevel"], "cutree": ["cu-tree"], "qcomp": ["qcompress"],
  ]
}
