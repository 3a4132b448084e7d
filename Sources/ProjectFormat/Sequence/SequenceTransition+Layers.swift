import Timeline

extension SequenceTransition {
  /// The layers of the transition, topmost first.
  ///
  /// - Parameters:
  ///   - outgoing: The picture of the outgoing clip.
  ///   - incoming: The picture of the incoming clip.
  ///   - range: The time range of the transition.
  ///   - renderSize: The output's size, which is the distance that pushes, slides and wipes cover.
  func layers(
    from outgoing: ClipPlacement, to incoming: ClipPlacement, during range: TimeRange,
    renderSize: PixelSize
  ) throws(TimeError) -> [LayerInstruction] {
    var (leaving, coming) = (outgoing.layer(during: range), incoming.layer(during: range))
    let (x, y) = shift(across: renderSize)
    if let mask = mask(over: range) {
      coming.mask = mask
      if !incoming.covers(outgoing) { coming.backdrop = incoming.blackFrame(of: renderSize) }
      return [coming, leaving]
    }
    switch kind {
    case .dissolve:
      leaving.opacity = ramp(over: range, from: 1, to: 0)
    case .crossDissolve:
      leaving.opacity = ramp(over: range, from: 1, to: 0)
      coming.opacity = ramp(over: range, from: 0, to: 1)
    case .fade:
      let middle = try range.start + range.duration / RationalTime(2)
      let halves = (
        try TimeRange(start: range.start, end: middle), try TimeRange(start: middle, end: range.end)
      )
      leaving.opacity = ramp(over: halves.0, from: 1, to: 0)
      coming.opacity = Ramps(
        [.step(at: range.start, value: 0)] + ramp(over: halves.1, from: 0, to: 1).pieces)
    case .push:
      leaving.transform = ramp(
        over: range, from: outgoing.transform,
        to: outgoing.transform.concatenating(.translation(x: x, y: y)))
      coming.transform = entrance(of: incoming, during: range, by: (x, y))
    case .slide:
      coming.transform = entrance(of: incoming, during: range, by: (x, y))
      if !incoming.covers(outgoing) {
        leaving.crop = window(on: outgoing, during: range, of: renderSize, to: (x, y))
      }
      return [coming, leaving]
    case .iris, .clockWipe, .lumaWipe: break
    case .wipe:
      leaving.crop = window(on: outgoing, during: range, of: renderSize, to: (x, y))
      if !outgoing.covers(incoming) {
        coming.crop = window(on: incoming, during: range, of: renderSize, from: (-x, -y))
      }
    }
    return [leaving, coming]
  }

  /// The mask that uncovers the incoming picture; `nil` for transitions without one.
  private func mask(over range: TimeRange) -> Mask? {
    let shape: Mask.Shape? =
      switch kind {
      case .iris: .circle
      case .clockWipe: .clock
      case .lumaWipe: map.map { .map(asset: $0) }
      case .wipe where softness > 0: .edge(direction)
      default: nil
      }
    return shape.map {
      Mask(shape: $0, softness: softness, progress: ramp(over: range, from: 0, to: 1))
    }
  }

  /// An eased ramp from one value to another.
  private func ramp<Value>(over range: TimeRange, from: Value, to: Value) -> Ramps<Value> {
    Ramps([.ramp(timeRange: range, from: from, to: to, timingFunction: easing)])
  }

  /// The motion of a picture into its final place.
  private func entrance(
    of incoming: ClipPlacement, during range: TimeRange, by shift: (x: Double, y: Double)
  ) -> Ramps<AffineTransform> {
    ramp(
      over: range,
      from: incoming.transform.concatenating(.translation(x: -shift.x, y: -shift.y)),
      to: incoming.transform)
  }

  /// The crop that shows a picture through a window of the output's size that slides across the output.
  ///
  /// The window keeps its size, so that its edge moves along with the incoming picture. Parts of the window outside the
  /// picture have no effect.
  private func window(
    on picture: ClipPlacement, during range: TimeRange, of size: PixelSize,
    from start: (x: Double, y: Double) = (0, 0), to end: (x: Double, y: Double) = (0, 0)
  ) -> Ramps<PixelRect> {
    func place(_ corner: (x: Double, y: Double)) -> PixelRect {
      picture.transform.preimage(
        of: PixelRect(
          x: corner.x, y: corner.y, width: Double(size.width), height: Double(size.height)))
    }
    return ramp(over: range, from: place(start), to: place(end))
  }

  /// The total displacement of the pictures or the edge, in pixels.
  private func shift(across size: PixelSize) -> (x: Double, y: Double) {
    switch direction {
    case .left: (-Double(size.width), 0)
    case .right: (Double(size.width), 0)
    case .up: (0, -Double(size.height))
    case .down: (0, Double(size.height))
    }
  }
}
