extension LayerInstruction {
  /// The opacity ramp in effect at an instant, or else the first one that starts after it.
  ///
  /// A step is a flat ramp that lasts until the opacity is set again. Before the first ramp the opacity is 1. After the
  /// last ramp it is that ramp's end value.
  ///
  /// - Returns: `nil` if the last ramp has ended, or none has been set.
  public func getOpacityRamp(for time: RationalTime) -> EffectiveRamp<Double>? {
    opacity.effectiveRamp(at: time)
  }

  /// The transform ramp in effect at an instant, or else the first one that starts after it. Before the first ramp the
  /// transform is the identity.
  ///
  /// - Returns: `nil` if the last ramp has ended, or none has been set.
  public func getTransformRamp(for time: RationalTime) -> EffectiveRamp<AffineTransform>? {
    transform.effectiveRamp(at: time)
  }

  /// The crop ramp in effect at an instant, or else the first one that starts after it. Before the first ramp nothing
  /// is cropped.
  ///
  /// - Returns: `nil` if the last ramp has ended, or none has been set.
  public func getCropRectangleRamp(for time: RationalTime) -> EffectiveRamp<PixelRect>? {
    crop.effectiveRamp(at: time)
  }

  /// Sets the opacity, 0 to 1, from an instant until it is set again.
  ///
  /// - Throws: ``EditError/Code/overlappingRamp`` if the instant is within a ramp. Nothing changes then.
  public mutating func setOpacity(_ value: Double, at time: RationalTime) throws(EditError) {
    try opacity.set(value, at: time)
  }

  /// Changes the opacity from one value to another, both 0 to 1, over a time range.
  ///
  /// - Throws: ``EditError/Code/invalidDuration``, or ``EditError/Code/overlappingRamp`` if the range overlaps an
  ///   existing ramp or step. Nothing changes then.
  public mutating func setOpacityRamp(
    fromStartOpacity start: Double, toEndOpacity end: Double, timeRange: TimeRange,
    timingFunction: TimingFunction = .linear
  ) throws(EditError) {
    try opacity.setRamp(
      from: start, to: end, timeRange: timeRange, timingFunction: timingFunction)
  }

  /// Sets the transform from display size to render size, from an instant until it is set again.
  ///
  /// - Throws: ``EditError/Code/overlappingRamp`` if the instant is within a ramp. Nothing changes then.
  public mutating func setTransform(_ value: AffineTransform, at time: RationalTime)
    throws(EditError)
  {
    try transform.set(value, at: time)
  }

  /// Changes the transform from one to another over a time range. Each of its six numbers changes independently.
  ///
  /// - Throws: ``EditError/Code/invalidDuration``, or ``EditError/Code/overlappingRamp`` if the range overlaps an
  ///   existing ramp or step. Nothing changes then.
  public mutating func setTransformRamp(
    fromStart start: AffineTransform, toEnd end: AffineTransform, timeRange: TimeRange,
    timingFunction: TimingFunction = .linear
  ) throws(EditError) {
    try transform.setRamp(
      from: start, to: end, timeRange: timeRange, timingFunction: timingFunction)
  }

  /// Sets the visible part of the picture, in its square-pixel clean-aperture space, from an instant until it is set
  /// again.
  ///
  /// - Throws: ``EditError/Code/overlappingRamp`` if the instant is within a ramp. Nothing changes then.
  public mutating func setCropRectangle(_ value: PixelRect, at time: RationalTime)
    throws(EditError)
  {
    try crop.set(value, at: time)
  }

  /// Changes the visible part of the picture from one rectangle to another over a time range.
  ///
  /// - Throws: ``EditError/Code/invalidDuration``, or ``EditError/Code/overlappingRamp`` if the range overlaps an
  ///   existing ramp or step. Nothing changes then.
  public mutating func setCropRectangleRamp(
    fromStartCropRectangle start: PixelRect, toEndCropRectangle end: PixelRect,
    timeRange: TimeRange, timingFunction: TimingFunction = .linear
  ) throws(EditError) {
    try crop.setRamp(from: start, to: end, timeRange: timeRange, timingFunction: timingFunction)
  }
}
