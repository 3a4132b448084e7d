import Timeline

extension WorkingFormat {
  /// The format for output that shows `streams`; `nil` for 8 bits in standard dynamic range.
  ///
  /// High dynamic range is kept if all moving streams have the same HDR transfer and the codec supports it. Otherwise,
  /// the output has standard range.
  ///
  /// - Parameters:
  ///   - bitDepth: the bit depth that the export sets; `nil` if it sets none, which means 10 for HDR.
  ///   - carriesHDR: whether the codec and its profile support HDR.
  package static func chosen(
    bitDepth: Int?, carriesHDR: Bool, size: PixelSize,
    streams: some Collection<(stream: VideoStream, isStillImage: Bool)>
  ) -> WorkingFormat? {
    let moving = streams.filter { !$0.isStillImage }.map(\.stream)
    if carriesHDR, bitDepth ?? 10 == 10, let first = moving.first {
      let transfer = ColorSpace(first.color, size: first.size).transfer
      let isShared = moving.allSatisfy {
        ColorSpace($0.color, size: $0.size).transfer == transfer
      }
      if transfer.isHDR, isShared {
        let space = ColorSpace(primaries: .bt2020, transfer: transfer, matrix: .bt2020)
        return WorkingFormat(
          bitDepth: 10, color: space.tags(size: size),
          hdr: HDRMetadata.joined(moving.compactMap(\.hdr)))
      }
    }
    guard bitDepth == 10 else { return nil }
    return WorkingFormat(
      bitDepth: 10, color: ColorSpace.standard(size: size).tags(size: size))
  }
}
