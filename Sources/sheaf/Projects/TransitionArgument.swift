import Timeline

/// A transition as the command line names it: `dissolve:1`, `push:1/2:left`, `wipe:0.5:right`.
package struct TransitionArgument: ArgumentValue, Hashable {
  package static let expectation =
    "KIND:SECONDS or KIND:SECONDS:DIRECTION such as dissolve:1, push:1/2:left or wipe:1:right"

  /// What the text stands for.
  package let transition: SequenceTransition

  package init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 || parts.count == 3,
      let kind = SequenceTransition.Kind(rawValue: parts[0]),
      let duration = try? RationalTime(parts[1]), duration > .zero
    else { return nil }
    guard parts.count == 3 else {
      transition = SequenceTransition(kind: kind, duration: duration)
      return
    }
    guard kind.isDirected, let direction = SequenceTransition.Direction(rawValue: parts[2]) else {
      return nil
    }
    transition = SequenceTransition(kind: kind, duration: duration, direction: direction)
  }
}

extension RationalTime: ArgumentValue {
  package static var expectation: String { "a time in seconds such as 5, 5/2 or 2.5" }

  package init?(argument: String) {
    guard let time = try? RationalTime(argument) else { return nil }
    self = time
  }
}

/// A constant rate factor.
package struct RateFactor: ArgumentValue {
  package static let expectation = "a number from 0 to 51"

  /// The factor.
  package let value: Double

  package init?(argument: String) {
    guard let value = Double(argument), (0...51).contains(value) else { return nil }
    self.value = value
  }
}
