extension LayerInstruction {
  /// The opacity's ramp in force at an instant, or else the first one that starts after it.
  ///
  /// A step is a flat ramp until the next time that an opacity is set. Before the first one the opacity is 1, and after
  /// the last one that one's end value.
  ///
  /// - Returns: `nil` if the last ramp has ended, or none has been set.
  public func getOpacityRamp(for time: RationalTime) -> EffectiveRamp<Double>? {
    opacity.effectiveRamp(at: time)
  }

  /// The transform's ramp in force at an instant, or else the first one that starts after it; before the first one the
  /// transform is the identity.
  ///
  /// - Returns: `nil` if the last ramp has ended, or none has been set.
  public func getTransformRamp(for time: RationalTime) -> EffectiveRamp<AffineTransform>? {
    transform.effectiveRamp(at: time)
  }

  /// The crop's ramp in force at an instant, or else the first one that starts after it; before the first one nothing is
  /// cropped.
  ///
  /// - Returns: `nil` if the last ramp has ended, or none has been set.
  public func getCropRectangleRamp(for time: RationalTime) -> EffectiveRamp<PixelRect>? {
    crop.effectiveRamp(at: time)
  }

  /// Sets the opacity, 0 to 1, from an instant on until the next one at which it is set.
  ///
  /// - Throws: ``EditError/Code/overlappingRamp`` if the instant lies within a ramp; nothing changes then.
  public mutating func setOpacity(_ value: Double, at time: RationalTime) throws(EditError) {
    try opacity.set(value, at: time)
  }

  /// Lets the opacity run from one value to another, both 0 to 1, over a range.
  ///
  /// - Throws: ``EditError/Code/invalidDuration``, or ``EditError/Code/overlappingRamp`` if the range meets a ramp or a
  ///   step that has been set; nothing changes then.
  public mutating func setOpacityRamp(
    fromStartOpacity start: Double, toEndOpacity end: Double, timeRange: TimeRange,
    timingFunction: TimingFunction = .linear
  ) throws(EditError) {
    try opacity.setRamp(
      from: start, to: end, timeRange: timeRange, timingFunction: timingFunction)
  }

  /// Sets the transform, from display size to render size, from an instant on until the next one at which it is set.
  ///
  /// - Throws: ``EditError/Code/overlappingRamp`` if the instant lies within a ramp; nothing changes then.
  public mutating func setTransform(_ value: AffineTransform, at time: RationalTime)
    throws(EditError)
  {
    try transform.set(value, at: time)
  }

  /// Lets the transform run from one to another over a range, each of its six numbers on its own.
  ///
  /// - Throws: ``EditError/Code/invalidDuration``, or ``EditError/Code/overlappingRamp`` if the range meets a ramp or a
  ///   step that has been set; nothing changes then.
  public mutating func setTransformRamp(
    fromStart start: AffineTransform, toEnd end: AffineTransform, timeRange: TimeRange,
    timingFunction: TimingFunction = .linear
  ) throws(EditError) {
    try transform.setRamp(
      from: start, to: end, timeRange: timeRange, timingFunction: timingFunction)
  }

  /// Sets the part of the picture that shows, in its square-pixel clean-aperture space, from an instant on until the next
  /// one at which it is set.
  ///
  /// - Throws: ``EditError/Code/overlappingRamp`` if the instant lies within a ramp; nothing changes then.
  public mutating func setCropRectangle(_ value: PixelRect, at time: RationalTime)
    throws(EditError)
  {
    try crop.set(value, at: time)
  }

  /// Lets the part of the picture that shows run from one rectangle to another over a range.
  ///
  /// - Throws: ``EditError/Code/invalidDuration``, or ``EditError/Code/overlappingRamp`` if the range meets a ramp or a
  ///   step that has been set; nothing changes then.
  public mutating func setCropRectangleRamp(
    fromStartCropRectangle start: PixelRect, toEndCropRectangle end: PixelRect,
    timeRange: TimeRange, timingFunction: TimingFunction = .linear
  ) throws(EditError) {
    try crop.setRamp(from: start, to: end, timeRange: timeRange, timingFunction: timingFunction)
  }
}
