import Media
import Planning
import Timeline

extension SegmentDescription {
  /// Checks everything that rendering relies on, so that nothing is decoded for a segment that cannot be rendered: the
  /// slices' ranges, the frame runs, the sources, and every frame's transforms.
  ///
  /// - Throws: ``RenderingError`` with code `invalidDescription`.
  func validateForRendering() throws {
    guard renderSize.width > 0, renderSize.height > 0, renderSize.width % 2 == 0,
      renderSize.height % 2 == 0
    else {
      throw invalid(
        "the render size \(renderSize.width)x\(renderSize.height) must be positive and even")
    }
    guard frameDuration > .zero else { throw invalid("the frame duration is not positive") }
    guard [nil, 8, 10].contains(workingFormat?.bitDepth) else {
      throw invalid("the bit depth of its pictures must be 8 or 10")
    }
    guard first >= 0, end > first else { throw invalid("its frame range is invalid") }
    var frame = first
    for slice in slices {
      guard slice.first == frame, slice.end > frame else {
        throw invalid("its slices are not contiguous at frame \(frame)")
      }
      for layer in slice.layers + (slice.overlay?.layers ?? []) {
        try validate(layer, of: slice)
      }
      guard slice.layers.flatMap(\.leaves).allSatisfy({ $0.source >= 0 }) else {
        throw invalid("an instruction's layer shows the composited video")
      }
      frame = slice.end
    }
    guard frame == end else {
      throw invalid("its slices end at frame \(frame), not at frame \(end)")
    }
  }

  private func validate(_ layer: LayerSlice, of slice: InstructionSlice) throws {
    if let sublayers = layer.sublayers {
      guard layer.source == LayerSlice.compositedGroup, !sublayers.isEmpty,
        layer.mask == nil, layer.backdrop == nil,
        sublayers.flatMap(\.leaves).allSatisfy({
          $0.isSmooth == true && $0.mask == nil && $0.backdrop == nil
        })
      else {
        throw invalid("a group has invalid animation layers at frame \(slice.first)")
      }
      for sublayer in sublayers { try validate(sublayer, of: slice) }
      return
    }
    guard sources.indices.contains(layer.source) || layer.source == LayerSlice.compositedVideo
    else {
      throw invalid("a layer refers to source \(layer.source), but there are \(sources.count)")
    }
    guard layer.frames.allSatisfy({ $0.count > 0 }),
      layer.frames.reduce(0, { $0 + $1.count }) == slice.end - slice.first
    else {
      throw invalid("a layer has a different frame count than its slice at frame \(slice.first)")
    }
    if case .map(let source) = layer.mask?.shape, !sources.indices.contains(source) {
      throw invalid("a mask refers to source \(source), but there are \(sources.count)")
    }
    if let backdrop = layer.backdrop, !(backdrop.rect.width > 0 && backdrop.rect.height > 0) {
      throw invalid("a backdrop has no area")
    }
    for frame in slice.first..<slice.end {
      do {
        _ = try layer.look(at: frame, of: self)
      } catch let error as RenderingError {
        throw RenderingError(
          error.code, "segment of frames \(first) to \(end), frame \(frame): \(error.message)")
      }
    }
  }

  private func invalid(_ problem: String) -> RenderingError {
    RenderingError(
      .invalidDescription, "the segment of frames \(first) to \(end) is malformed: \(problem)")
  }
}

extension VideoStream {
  /// Whether its pictures have an alpha channel.
  var hasAlpha: Bool { PixelFormat.named(pixelFormat)?.hasAlpha ?? false }
}
