/// A timecode, `HH:MM:SS:FF`, that counts frames from the start of the composition.
public struct TimecodeContent: Hashable, Sendable {
  /// The timecode of the composition's first frame.
  public var start: String
  /// Frames per second. `nil` means the output's rate.
  public var frameRate: RationalTime?
  /// Whether the timecode is drop-frame, which keeps rates of 30000/1001 and 60000/1001 in step with the clock (SMPTE
  /// 12M).
  public var dropsFrames: Bool
  /// The font.
  public var font: LayerFont
  /// The color of the digits.
  public var color: Color

  /// Creates a timecode.
  public init(
    start: String = "00:00:00:00", frameRate: RationalTime? = nil, dropsFrames: Bool = false,
    font: LayerFont, color: Color = TextContent.defaultColor
  ) {
    self.start = start
    self.frameRate = frameRate
    self.dropsFrames = dropsFrames
    self.font = font
    self.color = color
  }
}

/// Converts between frame numbers and timecodes at a frame rate.
public struct TimecodeClock: Hashable, Sendable {
  /// Frames per second.
  public let frameRate: RationalTime
  /// Whether the timecode is drop-frame.
  public let dropsFrames: Bool

  /// Creates a clock with a rate from 1 to 1000 frames per second. Returns `nil` for other rates, and for drop-frame
  /// timecode at a rate that does not have it.
  public init?(frameRate: RationalTime, dropsFrames: Bool) {
    guard frameRate >= RationalTime(1), frameRate <= RationalTime(1000) else { return nil }
    guard !dropsFrames || Self.dropping.contains(frameRate) else { return nil }
    self.frameRate = frameRate
    self.dropsFrames = dropsFrames
  }

  private static let dropping = [30_000, 60_000].compactMap { try? RationalTime($0, 1001) }

  /// The nominal number of frames per second.
  public var nominalRate: Int {
    Int((try? frameRate.ticks(of: RationalTime(1), rounding: .up)) ?? 1)
  }

  /// The number of digits in the frame field.
  public var frameDigits: Int { nominalRate > 100 ? 3 : 2 }

  /// The number of frame numbers that are dropped at the start of each minute except every tenth.
  private var dropped: Int { dropsFrames ? nominalRate / 15 : 0 }

  /// The timecode of a frame. It wraps around after a day.
  public func text(ofFrame frame: Int) -> String {
    let rate = nominalRate
    let minute = rate * 60 - dropped
    let tenMinutes = minute * 10 + dropped
    let frame = frame % (tenMinutes * 144)
    var number = frame
    if dropsFrames {
      let (tens, rest) = frame.quotientAndRemainder(dividingBy: tenMinutes)
      number += dropped * 9 * tens
      if rest > dropped { number += dropped * ((rest - dropped) / minute) }
    }
    func digits(_ value: Int, _ count: Int = 2) -> String {
      String(String(1_000 + value).suffix(count))
    }
    let seconds = number / rate
    return
      "\(digits(seconds / 3600 % 24)):\(digits(seconds / 60 % 60)):\(digits(seconds % 60))"
      + (dropsFrames ? ";" : ":") + digits(number % rate, frameDigits)
  }

  /// The frame with a timecode; `nil` if the timecode is invalid.
  public func frame(called text: String) -> Int? {
    let parts = text.split(omittingEmptySubsequences: false) { ":;".contains($0) }
    let numbers = parts.compactMap { part in
      part.allSatisfy(\.isASCII) && part.allSatisfy(\.isNumber) && part.count <= 3
        ? Int(part) : nil
    }
    guard parts.count == 4, numbers.count == 4, numbers[0] < 24, numbers[1] < 60, numbers[2] < 60,
      numbers[3] < nominalRate
    else { return nil }
    let minutes = numbers[0] * 60 + numbers[1]
    let count = (minutes * 60 + numbers[2]) * nominalRate + numbers[3]
    if dropsFrames, numbers[2] == 0, !minutes.isMultiple(of: 10), numbers[3] < dropped {
      return nil
    }
    return count - dropped * (minutes - minutes / 10)
  }
}
