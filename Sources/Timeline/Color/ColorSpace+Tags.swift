extension ColorSpace {
  /// The color space of pictures of `size` with `tags`. Unknown tags are guessed as players do:
  ///
  /// - The matrix is BT.709 for 720 rows or more, or else BT.601 (by height alone, as in mpv and others).
  /// - The primaries are those of BT.2020 or BT.709 if the matrix is tagged so. Otherwise they are those of BT.601 with
  ///   625 lines for exactly 576 rows, those of BT.601 with 525 lines for exactly 480 or 486 rows, or else those of
  ///   BT.709.
  /// - The transfer is one of standard dynamic range.
  /// - The range is limited.
  ///
  /// Still images are sRGB unless they are tagged otherwise. Unsupported tags count as unknown; see
  /// ``ColorTags/unsupported``.
  public init(_ tags: ColorTags, size: PixelSize, isStillImage: Bool = false) {
    let matrix =
      tags.matrix.flatMap(Self.matrix(named:)) ?? (size.height >= 720 ? .bt709 : .bt601)
    self.init(
      primaries: tags.primaries.flatMap(Self.primaries(named:))
        ?? Self.usualPrimaries(
          rows: isStillImage ? 0 : size.height,
          taggedMatrix: tags.matrix.flatMap(Self.matrix(named:))),
      transfer: tags.transfer.map(Self.transfer(named:)) ?? .standard, matrix: matrix,
      isFullRange: tags.range == "pc")
  }

  /// The color space of standard output of a size, which is also that of untagged pictures of this size.
  public static func standard(size: PixelSize) -> ColorSpace {
    ColorSpace(
      ColorTags(primaries: nil, transfer: nil, matrix: nil, range: "tv"), size: size)
  }

  private static func usualPrimaries(rows: Int, taggedMatrix: Matrix?) -> Primaries {
    switch taggedMatrix {
    case .bt2020: return .bt2020
    case .bt709: return .bt709
    case .smpte240m: return .smpte170m
    case .bt601, .fcc, nil: break
    }
    switch rows {
    case 576: return .bt470bg
    case 480, 486: return .smpte170m
    default: return .bt709
    }
  }

  private static func primaries(named name: String) -> Primaries? {
    name == "smpte240m" ? .smpte170m : Primaries(rawValue: name)
  }

  private static func transfer(named name: String) -> Transfer {
    switch name {
    case "smpte2084": .perceptualQuantizer
    case "arib-std-b67": .hybridLogGamma
    default: .standard
    }
  }

  private static func matrix(named name: String) -> Matrix? {
    switch name {
    case "bt470bg", "smpte170m": .bt601
    case "bt2020nc": .bt2020
    default: Matrix(rawValue: name)
    }
  }

  /// The tags for a stream of pictures of `size` in this color space.
  public func tags(size: PixelSize) -> ColorTags {
    let isPAL = size.height == 576
    let transfer =
      switch transfer {
      case .perceptualQuantizer: "smpte2084"
      case .hybridLogGamma: "arib-std-b67"
      case .standard: [.bt470bg, .smpte170m].contains(primaries) ? "smpte170m" : "bt709"
      }
    let matrix =
      switch matrix {
      case .bt601: isPAL ? "bt470bg" : "smpte170m"
      case .bt2020: "bt2020nc"
      case .bt709, .fcc, .smpte240m: matrix.rawValue
      }
    return ColorTags(
      primaries: primaries.rawValue, transfer: transfer, matrix: matrix,
      range: isFullRange ? "pc" : "tv")
  }
}

extension ColorTags {
  /// The key and value of the first tag that Sheaf does not support yet.
  public var unsupported: (key: String, value: String)? {
    let transfers: Set<String> = ["linear", "log100", "log316", "smpte428"]
    let matrices: Set<String> = [
      "ycgco", "bt2020c", "smpte2085", "chroma-derived-nc", "chroma-derived-c", "ictcp",
    ]
    if primaries == "smpte428" { return ("primaries", "smpte428") }
    if let transfer, transfers.contains(transfer) { return ("transfer", transfer) }
    if let matrix, matrices.contains(matrix) { return ("matrix", matrix) }
    return nil
  }
}
