import Foundation
import Timeline

/// Times as people read them.
package enum TimeText {
  /// Frames as a timecode, or in seconds if their rate has none: `00:01:39:12`, `8.333 s`.
  package static func frames(_ count: Int, of duration: RationalTime) -> String {
    let rate = (try? RationalTime(1) / duration).flatMap { TimecodeRate($0) }
    if let rate, count >= 0 { return Timecode(frame: Int64(count), at: rate).description }
    return seconds(Double(count) * duration.seconds)
  }

  /// Frames as a timecode, or in seconds if their rate has none.
  package static func frames(_ count: Int, ofSeconds duration: Double) -> String {
    if let rate = TimecodeRate(frameDuration: duration), count >= 0 {
      return Timecode(frame: Int64(count), at: rate).description
    }
    return seconds(Double(count) * duration)
  }

  /// A time at a rate, if it is known: a timecode if a frame begins at the time, to a thousandth of a second.
  package static func time(_ time: RationalTime, at rate: RationalTime?) -> String {
    guard let rate, let known = TimecodeRate(rate) else { return seconds(time.seconds) }
    let frame = time.seconds * known.framesPerSecond.seconds
    guard frame >= 0, frame < 1e12, abs(frame - frame.rounded()) < 0.02 else {
      return seconds(time.seconds)
    }
    return Timecode(frame: Int64(frame.rounded()), at: known).description
  }

  /// Seconds with three decimals, e.g. `8.333 s`.
  package static func seconds(_ seconds: Double) -> String { String(format: "%.3f s", seconds) }

  /// Frames per second with at most three decimals, e.g. `29.97 fps`.
  package static func rate(_ rate: RationalTime) -> String { self.rate(rate.seconds) }

  /// Frames per second with at most three decimals, e.g. `29.97 fps`.
  package static func rate(_ rate: Double) -> String {
    var text = String(format: "%.3f", rate)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text + " fps"
  }

  /// A length of time in words: `0.8 s`, `41 s`, `12 min 5 s`, `3 h 20 min`.
  package static func elapsed(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "unknown" }
    if seconds < 9.95 { return String(format: "%.1f s", seconds) }
    let whole = Int(seconds.rounded())
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return "\(whole / 60) min" + (whole % 60 > 0 ? " \(whole % 60) s" : "") }
    let minutes = whole / 60 % 60
    return "\(whole / 3600) h" + (minutes > 0 ? " \(minutes) min" : "")
  }

  /// A whole number with separators of thousands, e.g. `1,500`.
  package static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return (number < 0 ? "-" : "") + text
  }
}
