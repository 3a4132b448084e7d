import Timeline

extension SegmentMethod {
  /// A way to make frames, or a reason for encoding them. The coordinator stores the names, and numbers them in this
  /// order.
  public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    /// The packets of a source are copied.
    case copied = "copied"
    /// The preset encodes every frame.
    case preset = "preset"
    /// Two or more pictures are blended.
    case blended = "blended"
    /// Animation layers cover the picture.
    case layers = "layers"
    /// The picture is moved, scaled, cropped, faded or masked.
    case altered = "altered"
    /// No clip is shown.
    case empty = "empty"
    /// A still image is shown.
    case still = "still"
    /// The chroma layout, bit depth or profile of the clip differs from the output's.
    case format = "format"
    /// The clip has no further keyframe.
    case cut = "cut"
    /// The clip's next keyframe is later.
    case keyframe = "keyframe"
    /// Later frames of the clip are stored before these.
    case order = "order"
    /// The clip's codec differs from the output's.
    case codec = "codec"
    /// The clip's size differs from the output's.
    case size = "size"
    /// The clip's color space differs from the output's.
    case color = "color"
    /// The clip is rotated or cropped, or its pixels are not square.
    case shape = "shape"
    /// The clip is interlaced and the output is not, or the other way round, or their fields have another order.
    case interlaced = "interlaced"
    /// The clip's frame rate varies or differs from the output's.
    case rate = "rate"
    /// The clip does not play at its own speed.
    case speed = "speed"
    /// Too few frames in a row could be copied.
    case short = "short"
    /// The structure of the clip's packets does not allow copying them.
    case packets = "packets"
    /// The project shows no video that could be copied.
    case nothingMoves = "nothingMoves"
    /// No encoder continues the codec of most of the footage.
    case foreignCodec = "foreignCodec"
    /// The file type cannot contain most of the footage.
    case fileType = "fileType"
    /// The project sets a size that no footage has.
    case projectSize = "projectSize"
    /// The project sets a frame rate that no footage of its size has.
    case projectRate = "projectRate"
    /// The frame rate of most of the footage varies.
    case variableRate = "variableRate"
    /// Most of the footage is interlaced in a format that is not continued.
    case interlacedFootage = "interlacedFootage"
    /// Most of the footage is rotated, or its pixels are not square.
    case turned = "turned"
    /// Most of the footage has a clean aperture.
    case aperture = "aperture"
    /// Most of the footage has transparent parts.
    case alpha = "alpha"
    /// High and standard dynamic range are mixed.
    case dynamicRange = "dynamicRange"
    /// No encoder supports the format of most of the footage.
    case encoder = "encoder"
    /// Copied and encoded parts cannot share one sample description.
    case compatibility = "compatibility"
    /// Too few frames of the output could be copied.
    case fewFrames = "fewFrames"
    /// Copied and encoded parts cannot be laid out in one file.
    case layout = "layout"
  }
}

extension SegmentMethod.Kind {
  /// The reason for encoding, for people: a clause that follows "because"; `nil` for copied frames.
  public var reason: String? {
    switch self {
    case .copied: nil
    case .preset: "the preset encodes every frame"
    case .blended: "two or more pictures are blended"
    case .layers: "a title or another layer covers the picture"
    case .altered: "the picture is moved, scaled, cropped, faded or masked"
    case .empty: "no clip is shown"
    case .still: "a still image is shown"
    case .format: "the clip has a different pixel format"
    case .cut: "the clip has no keyframe where it is cut"
    case .keyframe: "the clip's next keyframe is later"
    case .order: "the clip stores later frames before these"
    case .codec: "the clip has a different codec"
    case .size: "the clip has a different size"
    case .color: "the clip has a different color space"
    case .shape: "the clip is rotated or cropped, or its pixels are not square"
    case .interlaced: "the clip's fields differ from the output's"
    case .rate: "the clip has a different or a variable frame rate"
    case .speed: "the clip does not play at its own speed"
    case .short: "fewer than \(PlanOptions.minimumFrames) frames in a row could be copied"
    case .packets: "the clip's packets cannot be copied"
    case .nothingMoves: "the project shows no video that could be copied"
    case .foreignCodec: "no encoder continues the codec of most of the footage"
    case .fileType: "the file type cannot contain most of the footage as it is"
    case .projectSize: "the project sets a size that the footage does not have"
    case .projectRate: "the project sets a frame rate that the footage does not have"
    case .variableRate: "the frame rate of most of the footage varies"
    case .interlacedFootage:
      "most of the footage is interlaced in a format other than H.264 in 4:2:0"
    case .turned: "most of the footage is rotated, or its pixels are not square"
    case .aperture: "most of the footage has a clean aperture, which many players ignore"
    case .alpha: "most of the footage has transparent parts"
    case .dynamicRange: "the footage mixes high and standard dynamic range"
    case .encoder: "no encoder supports the format of most of the footage"
    case .compatibility: "copied and encoded parts cannot share one sample description"
    case .fewFrames: "less than a tenth of the frames could be copied"
    case .layout: "the parts cannot be laid out in one file"
    }
  }

  /// The reason that applies to every frame of an output. It has the obstacle's name, unless a reason that applies to
  /// single clips has it.
  package init(_ obstacle: FormatObstacle) {
    self =
      switch obstacle {
      case .nothingMoves: .nothingMoves
      case .codec: .foreignCodec
      case .fileType: .fileType
      case .size: .projectSize
      case .rate: .projectRate
      case .variableRate: .variableRate
      case .interlaced: .interlacedFootage
      case .turned: .turned
      case .aperture: .aperture
      case .alpha: .alpha
      case .dynamicRange: .dynamicRange
      case .encoder: .encoder
      case .compatibility: .compatibility
      case .fewFrames: .fewFrames
      case .layout: .layout
      }
  }
}
