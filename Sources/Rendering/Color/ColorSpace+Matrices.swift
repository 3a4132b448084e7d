import Timeline

extension ColorSpace.Matrix {
  /// The weights of red and blue in luma (H.273, table 4).
  package var weights: (red: Double, blue: Double) {
    switch self {
    case .bt601: (0.299, 0.114)
    case .bt709: (0.2126, 0.0722)
    case .bt2020: (0.2627, 0.0593)
    case .fcc: (0.30, 0.11)
    case .smpte240m: (0.212, 0.087)
    }
  }

  /// The matrix from red, green and blue to luma (0 to 1) and chroma (−1/2 to 1/2).
  var fromRGB: Matrix3 {
    let (red, blue) = weights
    let green = 1 - red - blue
    return Matrix3(rows: [
      [red, green, blue],
      [-red / (2 * (1 - blue)), -green / (2 * (1 - blue)), 0.5],
      [0.5, -green / (2 * (1 - red)), -blue / (2 * (1 - red))],
    ])
  }

  /// The inverse of ``fromRGB``.
  var toRGB: Matrix3 {
    let (red, blue) = weights
    let green = 1 - red - blue
    return Matrix3(rows: [
      [1, 0, 2 * (1 - red)],
      [1, -2 * (1 - blue) * blue / green, -2 * (1 - red) * red / green],
      [1, 2 * (1 - blue), 0],
    ])
  }
}

extension ColorSpace.Primaries {
  /// x and y of red, green, blue and white (H.273, table 2).
  private var chromaticities: [(Double, Double)] {
    let d65 = (0.3127, 0.3290)
    let illuminantC = (0.310, 0.316)
    return switch self {
    case .bt709: [(0.640, 0.330), (0.300, 0.600), (0.150, 0.060), d65]
    case .bt470m: [(0.67, 0.33), (0.21, 0.71), (0.14, 0.08), illuminantC]
    case .bt470bg: [(0.64, 0.33), (0.29, 0.60), (0.15, 0.06), d65]
    case .smpte170m: [(0.630, 0.340), (0.310, 0.595), (0.155, 0.070), d65]
    case .film: [(0.681, 0.319), (0.243, 0.692), (0.145, 0.049), illuminantC]
    case .bt2020: [(0.708, 0.292), (0.170, 0.797), (0.131, 0.046), d65]
    case .smpte431: [(0.680, 0.320), (0.265, 0.690), (0.150, 0.060), (0.314, 0.351)]
    case .smpte432: [(0.680, 0.320), (0.265, 0.690), (0.150, 0.060), d65]
    case .ebu3213: [(0.630, 0.340), (0.295, 0.605), (0.155, 0.077), d65]
    }
  }

  private static func tristimulus(_ point: (Double, Double)) -> [Double] {
    [point.0 / point.1, 1, (1 - point.0 - point.1) / point.1]
  }

  /// The matrix from linear red, green and blue to CIE XYZ, in which white has a Y of 1.
  var toXYZ: Matrix3 {
    let points = chromaticities.map(Self.tristimulus)
    let columns = Matrix3(rows: (0..<3).map { axis in (0..<3).map { points[$0][axis] } })
    return columns * .diagonal(columns.inverted * points[3])
  }

  /// The matrix from linear light to other primaries. A different white is adapted by Bradford's transform.
  func map(to other: ColorSpace.Primaries) -> Matrix3 {
    let bradford = Matrix3(rows: [
      [0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296],
    ])
    let whites = (
      bradford * Self.tristimulus(chromaticities[3]),
      bradford * Self.tristimulus(other.chromaticities[3])
    )
    let adaptation =
      bradford.inverted * .diagonal(zip(whites.1, whites.0).map { $0 / $1 }) * bradford
    return other.toXYZ.inverted * adaptation * toXYZ
  }

  /// The weights of linear red, green and blue in luminance.
  var luminance: [Double] { toXYZ.rows[1] }
}

extension ColorSpace {
  /// The code values of black and of zero chroma, and the lengths of the ranges of luma and chroma, for samples of
  /// `depth` bits.
  func quantization(depth: Int) -> (black: Double, luma: Double, neutral: Double, chroma: Double) {
    let step = Double(1 << (depth - 8))
    guard isFullRange else { return (16 * step, 219 * step, 128 * step, 224 * step) }
    let highest = Double(1 << depth) - 1
    return (0, highest, 128 * step, highest)
  }
}
