import Timeline

/// Moves the times of a template to those of a title.
///
/// Templates last five seconds. What they do in the first half keeps its distance from the start, and what they do in
/// the second half keeps its distance from the end.
struct TitleTime {
  /// The length of a template, in seconds.
  static let length = RationalTime(5)

  private let range: TimeRange

  init(_ range: TimeRange) { self.range = range }

  private func moved(_ time: RationalTime) -> RationalTime? {
    guard let twice = try? time * 2, twice > Self.length else { return try? range.start + time }
    guard let left = try? Self.length - time else { return nil }
    return try? range.end - left
  }

  /// Moves the time range and the animations of a layer and of the layers in it.
  func place(_ layer: inout AnimationLayer) {
    if let shown = layer.timeRange, let start = moved(shown.start), let end = moved(shown.end) {
      layer.timeRange = (try? TimeRange(start: start, end: end)) ?? shown
    }
    for number in layer.animations.indices {
      let animation = layer.animations[number]
      guard let end = try? animation.beginTime + animation.duration,
        let first = moved(animation.beginTime), let last = moved(end),
        let duration = try? last - first, duration > .zero
      else { continue }
      layer.animations[number].beginTime = first
      layer.animations[number].duration = duration
    }
    if case .group(var inner) = layer.content {
      for number in inner.indices { place(&inner[number]) }
      layer.content = .group(inner)
    }
  }
}
