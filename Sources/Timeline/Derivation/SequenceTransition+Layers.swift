extension SequenceTransition {
  /// The layers of the transition, topmost first.
  ///
  /// - Parameters:
  ///   - outgoing: The picture that leaves.
  ///   - incoming: The picture that comes.
  ///   - range: When both are on show.
  ///   - renderSize: The output's size, which pushes and wipes cross in `range`.
  func layers(
    from outgoing: Placement, to incoming: Placement, during range: TimeRange,
    renderSize: PixelSize
  ) -> [LayerInstruction] {
    var (leaving, coming) = (outgoing.layer(during: range), incoming.layer(during: range))
    switch kind {
    case .dissolve:
      leaving.opacity = Ramps([.ramp(timeRange: range, from: 1, to: 0)])
    case .crossDissolve:
      leaving.opacity = Ramps([.ramp(timeRange: range, from: 1, to: 0)])
      coming.opacity = Ramps([.ramp(timeRange: range, from: 0, to: 1)])
    case .push:
      let (x, y) = shift(across: renderSize)
      leaving.transform = Ramps([
        .ramp(
          timeRange: range, from: outgoing.transform,
          to: outgoing.transform.concatenating(.translation(x: x, y: y)))
      ])
      coming.transform = Ramps([
        .ramp(
          timeRange: range,
          from: incoming.transform.concatenating(.translation(x: -x, y: -y)),
          to: incoming.transform)
      ])
    case .wipe:
      let (x, y) = shift(across: renderSize)
      leaving.crop = outgoing.window(during: range, of: renderSize, from: (0, 0), to: (x, y))
      let isCovered = outgoing.transform.image(of: outgoing.bounds)
        .covers(incoming.transform.image(of: incoming.bounds))
      if !isCovered {
        coming.crop = incoming.window(during: range, of: renderSize, from: (-x, -y), to: (0, 0))
      }
    }
    return [leaving, coming]
  }

  /// How far the pictures or the edge move in all, in pixels.
  private func shift(across size: PixelSize) -> (x: Double, y: Double) {
    switch direction {
    case .left: (-Double(size.width), 0)
    case .right: (Double(size.width), 0)
    case .up: (0, -Double(size.height))
    case .down: (0, Double(size.height))
    }
  }
}

extension Placement {
  /// The crop that shows the picture through a window of the output's size, which slides over the output.
  ///
  /// The window keeps its size, so that its edge moves evenly; what of it lies outside the picture has no effect.
  fileprivate func window(
    during range: TimeRange, of size: PixelSize, from start: (x: Double, y: Double),
    to end: (x: Double, y: Double)
  ) -> Ramps<PixelRect> {
    let (from, to) = (
      PixelRect(x: start.x, y: start.y, width: Double(size.width), height: Double(size.height)),
      PixelRect(x: end.x, y: end.y, width: Double(size.width), height: Double(size.height))
    )
    return Ramps([
      .ramp(
        timeRange: range, from: transform.preimage(of: from), to: transform.preimage(of: to))
    ])
  }
}
