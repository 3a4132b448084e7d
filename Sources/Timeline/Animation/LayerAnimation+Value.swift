extension LayerAnimation {
  /// The value at an instant of the composition; `nil` if the animation is not in effect.
  public func value(at time: RationalTime) -> LayerValue? {
    guard let first = values.first, let elapsed = try? time - beginTime else { return nil }
    if elapsed < .zero { return [.backwards, .both].contains(fillMode) ? first : nil }
    guard let progress = progress(after: elapsed) else {
      return [.forwards, .both].contains(fillMode) ? value(atPart: finalPart) : nil
    }
    return value(atPart: progress)
  }

  /// Whether the value may change, or the animation may start or end, within a range.
  public func changes(within range: TimeRange) -> Bool {
    guard let cycle = try? duration * (autoreverses ? 2 : 1) else { return true }
    let isOver = repeatCount * cycle.seconds + beginTime.seconds < range.start.seconds
    return !isOver && beginTime < range.end
  }

  /// The progress within the duration, in 0 ... 1; `nil` after the end of the animation.
  private func progress(after elapsed: RationalTime) -> Double? {
    guard duration > .zero, let cycle = try? duration * (autoreverses ? 2 : 1),
      let count = try? elapsed.ticks(of: cycle),
      let passed = try? elapsed - cycle * count, let part = try? passed / duration
    else { return nil }
    let cycles = Double(count) + part.seconds / (autoreverses ? 2 : 1)
    guard cycles < repeatCount else { return nil }
    return part.seconds > 1 ? 2 - part.seconds : part.seconds
  }

  /// The progress at the end of the animation.
  private var finalPart: Double {
    let rest = repeatCount.truncatingRemainder(dividingBy: 1)
    guard rest.isFinite, rest > 0 else { return autoreverses ? 0 : 1 }
    guard autoreverses else { return rest }
    return rest > 0.5 ? 2 - 2 * rest : 2 * rest
  }

  private func value(atPart part: Double) -> LayerValue? {
    let part = timingFunction.progress(after: part)
    guard values.count > 1 else { return values.first }
    let times = keyTimes ?? evenTimes
    if isDiscrete {
      let number = times.prefix(values.count).lastIndex { $0 <= part } ?? 0
      return values[number]
    }
    guard times.count == values.count else { return values.last }
    // A curve can overshoot only if there are just two values.
    if values.count == 2, keyTimes == nil, timingFunctions == nil {
      return values[0].interpolated(to: values[1], fraction: part)
    }
    guard let next = times.firstIndex(where: { $0 > part }) else { return values.last }
    guard next > 0 else { return values.first }
    let stretch = (part - times[next - 1]) / (times[next] - times[next - 1])
    let function = timingFunctions.flatMap { $0.indices.contains(next - 1) ? $0[next - 1] : nil }
    return values[next - 1].interpolated(
      to: values[next], fraction: (function ?? .linear).progress(after: stretch))
  }

  /// The default key times: discrete values last equally long, and others are evenly spaced.
  private var evenTimes: [Double] {
    let parts = Double(isDiscrete ? values.count : values.count - 1)
    return values.indices.map { Double($0) / parts }
  }
}
