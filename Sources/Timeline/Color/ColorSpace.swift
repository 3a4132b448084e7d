/// The interpretation of a picture's code values. All properties are known, and aliases are unified.
public struct ColorSpace: Hashable, Sendable {
  /// The chromaticities of red, green, blue and white, by FFmpeg's names (ITU-T H.273, table 2).
  public enum Primaries: String, Hashable, Sendable, CaseIterable {
    /// BT.709 and sRGB.
    case bt709 = "bt709"
    /// NTSC of 1953.
    case bt470m = "bt470m"
    /// BT.601 with 625 lines: PAL and SECAM.
    case bt470bg = "bt470bg"
    /// BT.601 with 525 lines, and SMPTE 240M.
    case smpte170m = "smpte170m"
    /// Generic film.
    case film = "film"
    /// BT.2020 and BT.2100.
    case bt2020 = "bt2020"
    /// DCI P3.
    case smpte431 = "smpte431"
    /// Display P3.
    case smpte432 = "smpte432"
    /// EBU Tech. 3213-E.
    case ebu3213 = "ebu3213"
  }

  /// The transfer function from code values to light.
  public enum Transfer: String, Hashable, Sendable {
    /// All curves of standard dynamic range. Displays show all of them with BT.1886's gamma of 2.4.
    case standard = "standard"
    /// BT.2100's perceptual quantizer (SMPTE ST 2084).
    case perceptualQuantizer = "perceptualQuantizer"
    /// BT.2100's hybrid log-gamma.
    case hybridLogGamma = "hybridLogGamma"

    /// Whether the transfer function has a high dynamic range.
    public var isHDR: Bool { self != .standard }
  }

  /// The matrix from red, green and blue to luma and chroma.
  public enum Matrix: String, Hashable, Sendable, CaseIterable {
    /// BT.601, with 625 or 525 lines.
    case bt601 = "bt601"
    /// BT.709.
    case bt709 = "bt709"
    /// BT.2020 with non-constant luminance.
    case bt2020 = "bt2020"
    /// FCC 73.682.
    case fcc = "fcc"
    /// SMPTE 240M.
    case smpte240m = "smpte240m"
  }

  /// The primaries, which determine the gamut.
  public var primaries: Primaries
  /// The transfer function from code values to light.
  public var transfer: Transfer
  /// The matrix from RGB to luma and color differences.
  public var matrix: Matrix
  /// Whether luma uses all code values, rather than 16 to 235 (at 8 bits).
  public var isFullRange: Bool

  /// Creates a color space.
  public init(
    primaries: Primaries, transfer: Transfer, matrix: Matrix, isFullRange: Bool = false
  ) {
    self.primaries = primaries
    self.transfer = transfer
    self.matrix = matrix
    self.isFullRange = isFullRange
  }

  /// sRGB, converted to luma and chroma in limited range by BT.709's matrix.
  public static let sRGB = ColorSpace(primaries: .bt709, transfer: .standard, matrix: .bt709)
}
