import Arguments
import ProjectFormat
import Timeline

/// A transition on the command line: `dissolve:1`, `push:1/2:left`, `wipe:0.5s:right`, `fade:1:#ffffff`,
/// `dissolve:00:00:01:12`, `lumaWipe:1:clouds.png`.
package struct TransitionArgument: ArgumentValue, Hashable {
  package static let expectation =
    "KIND:SECONDS, KIND:SECONDS:DIRECTION, fade:SECONDS:COLOR or lumaWipe:SECONDS:IMAGE such as "
    + "dissolve:1, iris:1, clockWipe:1, push:1/2:left, slide:1:up, wipe:1:right, fade:1:#ffffff or "
    + "lumaWipe:1:clouds.png"

  /// The transition that the text describes. Its duration is one second if that is a timecode; see ``timed(at:)``.
  package private(set) var transition: SequenceTransition
  private let duration: TimeArgument

  package init?(argument: String) {
    guard let colon = argument.firstIndex(of: ":"),
      let kind = SequenceTransition.Kind(rawValue: String(argument[..<colon])),
      let (duration, rest) = Self.duration(argument[argument.index(after: colon)...])
    else { return nil }
    self.duration = duration
    let length = try? duration.time(at: nil, for: "", or: "")
    guard length.map({ $0 > .zero }) ?? true else { return nil }
    let time = length ?? RationalTime(1)
    guard let rest else {
      guard !kind.isMapped else { return nil }
      transition = SequenceTransition(kind: kind, duration: time)
      return
    }
    if kind.isDirected, let direction = MotionDirection(rawValue: rest) {
      transition = SequenceTransition(kind: kind, duration: time, direction: direction)
    } else if kind.isColored, let color = Color(rest) {
      transition = SequenceTransition(kind: kind, duration: time, color: color)
    } else if kind.isMapped, !rest.isEmpty {
      transition = SequenceTransition(kind: kind, duration: time, map: rest)
    } else {
      return nil
    }
  }

  /// The transition with a similar kind, or with a duration of one second if there is none.
  package static func suggestion(for text: String) -> String? {
    let kind = String(text.prefix { $0 != ":" })
    guard
      let meant = Suggestion.nearest(
        to: kind, among: SequenceTransition.Kind.allCases.map(\.rawValue))
    else { return nil }
    let rest = text.dropFirst(kind.count)
    let suggestion = meant + (rest.isEmpty ? ":1" : String(rest))
    return suggestion != text && TransitionArgument(argument: suggestion) != nil ? suggestion : nil
  }

  /// The transition with its duration at a frame rate.
  ///
  /// - Throws: ``CommandFailure`` if the duration is a timecode and the rate is unknown.
  package func timed(at rate: RationalTime?) throws(CommandFailure) -> TransitionArgument {
    var timed = self
    timed.transition.duration = try duration.time(
      at: rate, for: "--transition", or: "give --frame-rate, or a time such as 1.5")
    return timed
  }

  /// Reads a duration at the beginning of a text: as many parts as a clock time has, or one. Also returns what follows
  /// the next colon.
  private static func duration(_ text: Substring) -> (TimeArgument, rest: String?)? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for count in [4, 3, 1] where parts.count >= count {
      guard let time = TimeArgument(argument: parts.prefix(count).joined(separator: ":")) else {
        continue
      }
      let rest = parts.dropFirst(count)
      return (time, rest.isEmpty ? nil : rest.joined(separator: ":"))
    }
    return nil
  }
}
