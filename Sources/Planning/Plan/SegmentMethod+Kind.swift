import Timeline

extension SegmentMethod {
  /// A way to make frames, or a reason for encoding them. The coordinator stores the names, and numbers them in this
  /// order.
  public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    /// The packets of a source are copied.
    case copied
    /// The preset encodes every frame.
    case preset
    /// Two or more pictures are blended.
    case blended
    /// Animation layers cover the picture.
    case layers
    /// The picture is moved, scaled, cropped, faded or masked.
    case altered
    /// No clip is shown.
    case empty
    /// A still image is shown.
    case still
    /// The chroma layout, bit depth or profile of the clip differs from the output's.
    case format
    /// The clip has no further keyframe.
    case cut
    /// The clip's next keyframe is later.
    case keyframe
    /// Later frames of the clip are stored before these.
    case order
    /// The clip's codec differs from the output's.
    case codec
    /// The clip's size differs from the output's.
    case size
    /// The clip's color space differs from the output's.
    case color
    /// The clip is rotated or cropped, or its pixels are not square.
    case shape
    /// The clip is interlaced, and the output is not.
    case interlaced
    /// The clip's frame rate varies or differs from the output's.
    case rate
    /// The clip does not play at its own speed.
    case speed
    /// Too few frames in a row could be copied.
    case short
    /// The structure of the clip's packets does not allow copying them.
    case packets
    /// The project shows no video that could be copied.
    case nothingMoves
    /// No encoder continues the codec of most of the footage.
    case foreignCodec
    /// The file type cannot contain most of the footage.
    case fileType
    /// The project sets a size that no footage has.
    case projectSize
    /// The project sets a frame rate that no footage of its size has.
    case projectRate
    /// The frame rate of most of the footage varies.
    case variableRate
    /// Most of the footage is interlaced.
    case interlacedFootage
    /// Most of the footage is rotated, or its pixels are not square.
    case turned
    /// Most of the footage has a clean aperture.
    case aperture
    /// Most of the footage has transparent parts.
    case alpha
    /// High and standard dynamic range are mixed.
    case dynamicRange
    /// No encoder supports the format of most of the footage.
    case encoder
    /// Copied and encoded parts cannot share one sample description.
    case compatibility
    /// Too few frames of the output could be copied.
    case fewFrames
    /// Copied and encoded parts cannot be laid out in one file.
    case layout
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
    case .interlaced: "the clip is interlaced"
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
    case .interlacedFootage: "most of the footage is interlaced"
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
      case .codec: .foreignCodec
      case .size: .projectSize
      case .rate: .projectRate
      case .interlaced: .interlacedFootage
      default: Self(rawValue: obstacle.rawValue) ?? .layout
      }
  }
}
