import CFFmpeg

extension Frame {
  /// The picture with its chroma moved from one location to another; the same picture if the locations are equal.
  ///
  /// Chroma is interpolated with Keys's cubic for a = −1/2 ("Cubic convolution interpolation for digital image
  /// processing", 1981, equation 4). At quarters of a sample its weights are whole 128ths, so only the final result is
  /// rounded. Luma and alpha are copied.
  ///
  /// - Throws: ``MediaError`` with code `outOfMemory`, or `invalidSettings` for pixels that are not planar YUV.
  func movingChroma(from site: ChromaSite, to target: ChromaSite) throws -> Frame {
    let shifts = pixelFormat.chromaShifts
    // In quarters of a chroma sample.
    let across = shifts.across > 0 ? (target.across - site.across) / 128 : 0
    let down = shifts.down > 0 ? (target.down - site.down) / 128 : 0
    guard across != 0 || down != 0 else { return self }
    let result = try Frame(width: width, height: height, pixelFormat: pixelFormat)
    try checked(
      av_frame_copy_props(result.pointer, pointer), .outOfMemory, "cannot copy",
      on: "a frame's tags")
    result.chromaSite = target
    let highest = Int32(1) << Int32(pixelFormat.bitDepth) - 1
    func move<Sample: PictureSample>(_ sample: Sample.Type) throws {
      try withUnsafePlanes(of: Sample.self) { sources in
        try result.withUnsafeMutablePlanes(of: Sample.self) { targets in
          for (number, (source, target)) in zip(sources, targets).enumerated() {
            if number == 1 || number == 2 {
              ChromaShift(across: across, down: down, highest: highest).move(source, to: target)
            } else {
              for y in 0..<source.height {
                (target.base + y * target.stride).update(
                  from: source.base + y * source.stride, count: source.width)
              }
            }
          }
        }
      }
    }
    if pixelFormat.bytesPerSample == 1 { try move(UInt8.self) } else { try move(UInt16.self) }
    return result
  }
}

/// Shifts a plane by a fraction of a sample.
private struct ChromaShift {
  /// How far to the right and down, in quarters of a sample.
  let across: Int
  let down: Int
  /// The highest code value.
  let highest: Int32

  /// The four samples around a place, starting at `first`, and their weights in 128ths.
  private struct Taps {
    let first: Int
    let weights: (Int32, Int32, Int32, Int32)

    init(quarters: Int) {
      first = (quarters >> 2) - 1
      weights =
        switch quarters & 3 {
        case 0: (0, 128, 0, 0)
        case 1: (-9, 111, 29, -3)
        case 2: (-8, 72, 72, -8)
        default: (-3, 29, 111, -9)
        }
    }
  }

  /// Writes the shifted plane. The samples at its edges are repeated beyond them.
  func move<Sample: PictureSample>(_ source: Plane<Sample>, to target: MutablePlane<Sample>) {
    let (columns, rows) = (Taps(quarters: across), Taps(quarters: down))
    let width = source.width
    // The row is extended on either side for the taps beyond its edges.
    let margin = 3
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: width + 2 * margin) { buffer in
      guard let base = buffer.baseAddress else { return }
      let line = base + margin
      for y in 0..<source.height {
        func row(_ offset: Int) -> UnsafePointer<Sample> {
          source.base + min(max(y + rows.first + offset, 0), source.height - 1) * source.stride
        }
        let (one, two, three, four) = (row(0), row(1), row(2), row(3))
        let down = rows.weights
        for x in 0..<width {
          line[x] =
            Int32(one[x]) &* down.0 &+ Int32(two[x]) &* down.1 &+ Int32(three[x]) &* down.2
            &+ Int32(four[x]) &* down.3
        }
        for offset in 1...margin {
          line[-offset] = line[0]
          line[width - 1 + offset] = line[width - 1]
        }
        let (from, to) = (line + columns.first, target.base + y * target.stride)
        let across = columns.weights
        for x in 0..<width {
          let sum =
            from[x] &* across.0 &+ from[x + 1] &* across.1 &+ from[x + 2] &* across.2
            &+ from[x + 3] &* across.3 &+ (1 &<< 13)
          to[x] = Sample(truncatingIfNeeded: min(max(sum &>> 14, 0), highest))
        }
      }
    }
  }
}
