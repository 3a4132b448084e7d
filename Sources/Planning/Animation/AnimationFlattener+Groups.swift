import Timeline

extension AnimationFlattener {
  /// The layers of a group at the given depth, where 0 is the root of the tree.
  ///
  /// - Parameter from: the index of the chains' first opacity that no enclosing group applies.
  func stack(
    _ shown: ArraySlice<ShownChain>, depth: Int, from: Int, frames: Range<Int>
  ) throws(TimeError) -> [FlatLayer] {
    guard let path = shown.first?.chain.path else { return [] }
    if isFaded(shown, depth: depth, from: from) {
      let sublayers = try inside(shown, depth: depth, from: depth + 1, frames: frames)
      let opacities = (0..<frames.count).map { frame in
        shown.compactMap { $0.look(frame)?.opacities[from...depth].reduce(1, *) }.first
      }
      var layer = LayerSlice(
        source: LayerSlice.compositedGroup,
        frames: [FrameRun(time: 0, step: 0, count: frames.count)],
        opacity: try ramps(opacities.map { $0 ?? 0 }, of: frames) { [$0] }, transform: Ramps(),
        crop: Ramps())
      layer.sublayers = []
      return [
        FlatLayer(
          tile: nil, path: LayerPath(Array(path.numbers.prefix(depth))), layer: layer,
          sublayers: sublayers)
      ]
    }
    return try inside(shown, depth: depth, from: from, frames: frames)
  }

  /// The layers inside a group, which are composited individually.
  private func inside(
    _ shown: ArraySlice<ShownChain>, depth: Int, from: Int, frames: Range<Int>
  ) throws(TimeError) -> [FlatLayer] {
    var layers: [FlatLayer] = []
    var rest = shown
    while let first = rest.first {
      let number = first.chain.path.numbers[depth]
      let inner = rest.prefix { $0.chain.path.numbers[depth] == number }
      rest = rest.dropFirst(inner.count)
      layers +=
        first.chain.layers.count == depth + 1
        ? try pictures(of: first, from: from, frames: frames)
        : try stack(inner, depth: depth + 1, from: from, frames: frames)
    }
    return layers
  }

  /// Whether a group has to be composited separately, because it is translucent and its layers overlap.
  private func isFaded(_ shown: ArraySlice<ShownChain>, depth: Int, from: Int) -> Bool {
    guard shown.count > 1 else { return false }
    return (0..<(shown.map(\.looks.count).max() ?? 0)).contains { frame in
      let looks = shown.compactMap { chain in chain.look(frame).map { (chain, $0) } }
      guard let opacities = looks.first?.1.opacities,
        opacities[from...depth].contains(where: { $0 < 1 })
      else { return false }
      return PixelRect.overlap(
        in: looks.compactMap { chain, look in
          chain.pictures.compactMap { self.bounds(of: $0, look) }.joined
        })
    }
  }
}
