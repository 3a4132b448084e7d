/// A time code, `HH:MM:SS:FF`, that counts frames from the composition's start.
public struct TimecodeContent: Hashable, Sendable {
  /// The time code of the composition's first frame.
  public var start: String
  /// Frames a second; the output's own rate where `nil`.
  public var frameRate: RationalTime?
  /// Whether numbers are dropped, so that rates of 30000/1001 and 60000/1001 keep step with the clock (SMPTE 12M).
  public var dropsFrames: Bool
  /// The font.
  public var font: LayerFont
  /// The digits' color.
  public var color: Color

  /// Creates a time code.
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

/// How frames of a rate are called.
public struct TimecodeClock: Hashable, Sendable {
  /// Frames a second.
  public let frameRate: RationalTime
  /// Whether numbers are dropped.
  public let dropsFrames: Bool

  /// A clock of a rate from 1 to 1000 frames a second; `nil` for other rates, and for numbers dropped at rates that
  /// drop none.
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

  /// The number of digits for the frames of a second.
  public var frameDigits: Int { nominalRate > 100 ? 3 : 2 }

  /// Numbers dropped at the beginning of each minute but every tenth.
  private var dropped: Int { dropsFrames ? nominalRate / 15 : 0 }

  /// The time code of a frame. It repeats after a day.
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

  /// The frame that is called so; `nil` if none is.
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
