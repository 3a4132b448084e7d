import Timeline

/// A count of frames per second that timecodes have: a whole number, or 1000/1001 of one.
package struct TimecodeRate: Hashable, Sendable {
  /// The number of frames that a timecode counts in a second.
  package let frames: Int64
  /// Whether the actual rate is 1000/1001 of it.
  package let isSlowed: Bool

  /// The longest second in frames.
  private static let most = 960.0

  /// Creates the rate for frames per second. Returns `nil` if timecodes do not exist for it, e.g. for 12.5.
  package init?(_ rate: RationalTime) {
    self.init(framesPerSecond: rate.seconds)
  }

  /// Creates the rate for a frame's length in seconds.
  package init?(frameDuration: Double) {
    self.init(framesPerSecond: 1 / frameDuration)
  }

  private init?(framesPerSecond rate: Double) {
    guard rate.isFinite, rate > 0.9, rate <= Self.most else { return nil }
    let whole = rate.rounded(.up)
    let nearest = rate.rounded()
    // The length may be a rounded decimal of a file's header.
    if abs(rate - nearest) < 1e-5 * nearest {
      (frames, isSlowed) = (Int64(nearest), false)
    } else if abs(rate - whole * 1000 / 1001) < 1e-5 * whole {
      (frames, isSlowed) = (Int64(whole), true)
    } else {
      return nil
    }
  }

  package var framesPerSecond: RationalTime {
    (isSlowed ? try? RationalTime(frames * 1000, 1001) : nil) ?? RationalTime(frames)
  }

  /// The frames that drop-frame timecode leaves out at the start of each minute but every tenth, so that it agrees with
  /// a clock (SMPTE ST 12-1); 0 if there is none for this rate.
  package var dropped: Int64 { isSlowed && frames % 30 == 0 ? frames / 15 : 0 }
}

/// A place in a film as hours, minutes, seconds and frames: `00:01:39:12`, or `00:01:39;12` in drop-frame timecode.
package struct Timecode: Hashable, Sendable, CustomStringConvertible {
  package var hours: Int64
  /// Minutes, below 60.
  package var minutes: Int64
  /// Seconds, below 60.
  package var seconds: Int64
  /// Frames, below the number in a second.
  package var frames: Int64
  /// Whether frame numbers are left out so that it agrees with a clock.
  package var dropsFrames: Bool

  package init(
    hours: Int64, minutes: Int64, seconds: Int64, frames: Int64, dropsFrames: Bool = false
  ) {
    (self.hours, self.minutes, self.seconds) = (hours, minutes, seconds)
    (self.frames, self.dropsFrames) = (frames, dropsFrames)
  }

  /// Creates the timecode of a frame. At 29.97 and 59.94 frames per second, it is in drop-frame timecode.
  package init(frame: Int64, at rate: TimecodeRate) {
    var number = frame
    if rate.dropped > 0 {
      let minute = rate.frames * 60 - rate.dropped
      let tenMinutes = minute * 10 + rate.dropped
      let (tens, rest) = (number / tenMinutes, number % tenMinutes)
      number += rate.dropped * 9 * tens
      // The first minute of ten is complete.
      if rest >= rate.frames * 60 {
        number += rate.dropped * (1 + (rest - rate.frames * 60) / minute)
      }
    }
    let second = number / rate.frames
    self.init(
      hours: second / 3600, minutes: second / 60 % 60, seconds: second % 60,
      frames: number % rate.frames, dropsFrames: rate.dropped > 0)
  }

  /// The number of the frame that it names; `nil` if the rate has no such frame.
  package func frame(at rate: TimecodeRate) -> Int64? {
    guard frames < rate.frames, hours < 1 << 20 else { return nil }
    let minute = hours * 60 + minutes
    let number = (minute * 60 + seconds) * rate.frames + frames
    guard dropsFrames else { return number }
    guard rate.dropped > 0 else { return nil }
    // The numbers that are left out name no frame.
    if seconds == 0, frames < rate.dropped, minutes % 10 != 0 { return nil }
    return number - rate.dropped * (minute - minute / 10)
  }

  /// Two digits for each part.
  package var description: String {
    func digits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return [hours, minutes, seconds].map(digits).joined(separator: ":")
      + (dropsFrames ? ";" : ":") + digits(frames)
  }
}
