import Arguments
import Timeline

/// The style of all clips and transitions of a command line.
package struct ClipStyle: Hashable, Sendable {
  /// How clips fill the frame.
  package var fit: Fit?
  /// The easing of transitions.
  package var easing: TimingFunction?
  /// The edge softness of the transitions that have an edge.
  package var softness: Double?

  /// Creates a style. `nil` means the project file's default.
  package init(fit: Fit? = nil, easing: TimingFunction? = nil, softness: Double? = nil) {
    self.fit = fit
    self.easing = easing
    self.softness = softness
  }
}

extension TimingFunction: ArgumentValue {
  package static let expectation =
    "linear, default, easeIn, easeOut, easeInEaseOut, or a curve's x1,y1,x2,y2 such as 0.2,0,0,1"

  package init?(argument: String) {
    if let named = Self.easings.first(where: { $0.name == argument }) {
      self = named.function
      return
    }
    let numbers = argument.split(separator: ",", omittingEmptySubsequences: false)
      .compactMap { Double($0) }
    guard numbers.count == 4, argument.count(where: { $0 == "," }) == 3 else { return nil }
    self = .cubicBezier(x1: numbers[0], y1: numbers[1], x2: numbers[2], y2: numbers[3])
  }
}

/// The value of `--frame-rate`.
package struct FrameRateArgument: ArgumentValue {
  package static let expectation = "a number or a fraction such as 30000/1001"

  /// Frames per second, exact.
  package let value: RationalTime

  package init?(argument: String) {
    guard let value = try? RationalTime(argument), value > .zero else { return nil }
    self.value = value
  }
}
