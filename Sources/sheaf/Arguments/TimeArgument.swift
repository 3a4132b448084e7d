import Arguments
import Timeline

/// A time on a command line: `1.5`, `3/2`, `2s`, `500ms`, `1:30`, `00:00:02`, or the timecode `00:01:39:12`, which needs
/// a frame rate.
package struct TimeArgument: ArgumentValue, Hashable {
  package static let expectation =
    "a time such as 5, 5/2, 2.5, 2s, 1:30, 00:01:30 or, with frames, 00:01:39:12"

  private enum Form: Hashable {
    case exact(RationalTime)
    case timecode(Timecode)
  }

  private let form: Form
  /// The text, as it was written.
  package let text: String

  package init?(argument: String) {
    text = argument
    guard let form = Self.clock(argument) ?? Self.seconds(argument) else { return nil }
    self.form = form
  }

  /// Creates an exact time.
  package init(_ time: RationalTime) { (form, text) = (.exact(time), "\(time)") }

  /// Whether it is a timecode with frames.
  package var needsFrameRate: Bool { if case .timecode = form { true } else { false } }

  /// The time in seconds.
  ///
  /// - Parameters:
  ///   - rate: frames per second, if they are known.
  ///   - missing: what to do if they are not, e.g. `give --frame-rate`.
  /// - Throws: ``CommandFailure`` if it is a timecode and the rate is unknown or has no such frame.
  package func time(
    at rate: RationalTime?, for option: String, or missing: String
  ) throws(CommandFailure) -> RationalTime {
    switch form {
    case .exact(let time): return time
    case .timecode(let code):
      guard let rate else {
        throw CommandFailure(
          .usage, "a time with frames needs a frame rate", on: "\(option) \(text)", remedy: missing)
      }
      guard let known = TimecodeRate(rate) else {
        throw CommandFailure(
          .usage, "there are no timecodes at \(rate) frames per second", on: "\(option) \(text)",
          remedy: "use seconds such as 2.5")
      }
      guard let frame = code.frame(at: known),
        let time = try? RationalTime(frame) / known.framesPerSecond
      else {
        throw CommandFailure(
          .usage, "no frame has this timecode at \(rate) frames per second",
          on: "\(option) \(text)",
          remedy: code.frames >= known.frames
            ? "the last number is the frame, below \(known.frames)"
            : "use `:` before the frame, or seconds such as 2.5")
      }
      return time
    }
  }

  /// A number of seconds, or a number with a unit.
  private static func seconds(_ text: String) -> Form? {
    if let time = try? RationalTime(text) { return .exact(time) }
    let units: [(String, RationalTime)] = [
      ("ms", (try? RationalTime(1, 1000)) ?? .zero), ("sec", RationalTime(1)),
      ("min", RationalTime(60)), ("s", RationalTime(1)), ("m", RationalTime(60)),
      ("h", RationalTime(3600)),
    ]
    guard let (name, unit) = units.first(where: { text.lowercased().hasSuffix($0.0) }),
      let number = try? RationalTime(
        String(text.dropLast(name.count).reversed().drop { $0 == " " }.reversed())),
      let time = try? number * unit
    else { return nil }
    return .exact(time)
  }

  /// Parts between colons.
  private static func clock(_ text: String) -> Form? {
    let dropsFrames = text.contains(";")
    let parts = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == ";" }
    guard (2...4).contains(parts.count),
      !dropsFrames
        || (parts.count == 4 && text.split(separator: ";").count == 2
          && text.split(separator: ";")[1] == parts[3])
    else { return nil }
    var numbers: [Int64] = []
    for part in parts.dropLast() {
      guard let number = whole(part) else { return nil }
      numbers.append(number)
    }
    guard numbers.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
    if parts.count == 4 {
      guard let frames = whole(parts[3]) else { return nil }
      return .timecode(
        Timecode(
          hours: numbers[0], minutes: numbers[1], seconds: numbers[2], frames: frames,
          dropsFrames: dropsFrames))
    }
    let last = parts[parts.count - 1]
    guard last.first?.isNumber == true, !last.contains("/"),
      let seconds = try? RationalTime(String(last)), seconds < RationalTime(60)
    else { return nil }
    let minutes = numbers.count == 2 ? numbers[0] * 60 + numbers[1] : numbers[0]
    return (try? RationalTime(minutes * 60) + seconds).map { .exact($0) }
  }

  private static func whole(_ digits: Substring) -> Int64? {
    guard (1...6).contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
      return nil
    }
    return Int64(digits)
  }
}
