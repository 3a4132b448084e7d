import Arguments
import ProjectFormat
import Timeline

/// A transition on the command line: `dissolve:1`, `push:1/2:left`, `wipe:0.5:right`, `fade:1:#ffffff`,
/// `lumaWipe:1:clouds.png`.
package struct TransitionArgument: ArgumentValue, Hashable {
  package static let expectation =
    "KIND:SECONDS, KIND:SECONDS:DIRECTION, fade:SECONDS:COLOR or lumaWipe:SECONDS:IMAGE such as "
    + "dissolve:1, iris:1, clockWipe:1, push:1/2:left, slide:1:up, wipe:1:right, fade:1:#ffffff or "
    + "lumaWipe:1:clouds.png"

  /// The transition that the text describes.
  package let transition: SequenceTransition

  package init?(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      .map(String.init)
    guard parts.count == 2 || parts.count == 3,
      let kind = SequenceTransition.Kind(rawValue: parts[0]),
      let duration = try? RationalTime(parts[1]), duration > .zero
    else { return nil }
    guard parts.count == 3 else {
      guard !kind.isMapped else { return nil }
      transition = SequenceTransition(kind: kind, duration: duration)
      return
    }
    if kind.isDirected, let direction = MotionDirection(rawValue: parts[2]) {
      transition = SequenceTransition(kind: kind, duration: duration, direction: direction)
    } else if kind.isColored, let color = Color(parts[2]) {
      transition = SequenceTransition(kind: kind, duration: duration, color: color)
    } else if kind.isMapped, !parts[2].isEmpty {
      transition = SequenceTransition(kind: kind, duration: duration, map: parts[2])
    } else {
      return nil
    }
  }
}

extension RationalTime: ArgumentValue {
  package static var expectation: String { "a time in seconds such as 5, 5/2 or 2.5" }

  package init?(argument: String) {
    guard let time = try? RationalTime(argument) else { return nil }
    self = time
  }
}
