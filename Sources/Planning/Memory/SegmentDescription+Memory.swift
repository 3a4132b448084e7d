import Timeline

extension SegmentDescription {
  /// A render process without pictures, in bytes: code, libraries and buffers for packets.
  private static let processBytes = 96.0 * 1_048_576

  /// The expected peak memory of the process that renders it, in bytes.
  ///
  /// An upper bound for what was measured (Benchmarks/README.md), by the sizes of the pictures that the encoder, the
  /// decoders and the compositor hold. What a process holds of earlier segments is not part of it.
  public var peakMemory: Int {
    var bytes = Self.processBytes
    if let copy {
      if copy.isVerified == true, sources.indices.contains(copy.source) {
        bytes += sources[copy.source].stream.decodingBytes
      }
    } else {
      bytes += EncoderMemory(self).bytes + (slices.map { layerBytes(of: $0) }.max() ?? 0)
      // Composited pictures, and those in the encoder's format: one that is made, while one waits and one is encoded.
      bytes += 2 * renderedPictureBytes + 3 * encodedPictureBytes
    }
    return Int(min(bytes, Double(1 << 60)))
  }

  /// The bits per sample of the composited pictures.
  private var workingDepth: Int { workingFormat?.bitDepth ?? 8 }

  /// The bytes of a composited picture.
  private var renderedPictureBytes: Double {
    renderSize.pixels * 1.5 * (workingDepth > 8 ? 2 : 1)
  }

  /// The bytes of a picture in the encoder's format.
  private var encodedPictureBytes: Double {
    let isDeep = max(workingDepth, video.effectiveBitDepth) > 8
    // ProRes has no `chroma`; its profiles decide.
    let samples =
      video.codec == .prores
      ? (video.profile?.hasPrefix("4444") == true ? 2 : 4.0 / 3) : video.relativeSampleCount
    return renderSize.pixels * 1.5 * samples * (isDeep ? 2 : 1)
  }

  /// The bytes that the decoders and the pictures of a slice's layers take. Every layer has a decoder of its own.
  private func layerBytes(of slice: InstructionSlice) -> Double {
    let overlay = slice.overlay?.layers ?? []
    // The picture beneath an overlay is a picture of its own.
    return (slice.layers + overlay).reduce(overlay.isEmpty ? 0 : renderedPictureBytes) {
      $0 + layerBytes(of: $1)
    }
  }

  private func layerBytes(of layer: LayerSlice) -> Double {
    // A canvas of mixed pixels, and one with the group's weight.
    let group = layer.sublayers.map { layers in
      layers.reduce(2 * renderSize.pixels * Self.translucentPixelBytes) { $0 + layerBytes(of: $1) }
    }
    if let group { return group }
    guard sources.indices.contains(layer.source) else { return renderedPictureBytes }
    let source = sources[layer.source]
    var bytes = source.stream.decodingBytes
    if source.isStillImage {
      // The picture in the form in which pixels are mixed and a reduced one, and what is placed of them.
      let enlargement = layer.transform.values.map { abs($0.a * $0.d - $0.b * $0.c) }.max() ?? 1
      let own = source.stream.size.pixels
      bytes += Self.translucentPixelBytes * (2 * own + min(own * enlargement, renderSize.pixels))
    } else {
      // The picture scaled, converted and turned; of these, two exist at a time.
      bytes += 2 * renderedPictureBytes
    }
    // A blurred copy that is reduced, enlarged and placed.
    if layer.backdrop != nil { bytes += 3 * renderedPictureBytes }
    if layer.mask != nil { bytes += renderSize.pixels * Self.maskPixelBytes }
    return bytes
  }

  /// Luma, two color differences and alpha, of two bytes each.
  private static let translucentPixelBytes = 8.0

  /// The order in which a mask's pixels open, and how far each is open.
  private static let maskPixelBytes = 4.0
}

extension PixelSize {
  /// The number of pixels.
  var pixels: Double { Double(width) * Double(height) }
}
