import Support
import Testing
import Timeline

@Suite(.mayBlock) struct RationalTimeTests {
  @Test(
    arguments: [
      ("3", 3, 1), ("-3", -3, 1), ("1001/30000", 1001, 30000), ("2/4", 1, 2), ("1/-2", -1, 2),
      ("2.5", 5, 2), ("-0.25", -1, 4), ("0.000000000000000001", 1, 1_000_000_000_000_000_000),
      ("9223372036854775807", .max, 1), ("6/3", 2, 1),
    ] as [(String, Int64, Int64)])
  func `a time is parsed exactly`(text: String, numerator: Int64, denominator: Int64) throws {
    let time = try RationalTime(text)
    #expect(time.numerator == numerator)
    #expect(time.denominator == denominator)
  }

  @Test(
    arguments: [
      ("17/25", "0.680"), ("12", "12.000"), ("7/6", "1.167"), ("1/2000", "0.001"),
      ("1/2001", "0.000"), ("-1/2001", "0.000"), ("-5/4", "-1.250"),
      ("9223372036854775807/9223372036854775806", "1.000"),
    ] as [(String, String)])
  func `a time in a message has three decimals`(text: String, shown: String) throws {
    #expect(try RationalTime(text).threeDecimals == shown)
  }

  @Test(
    arguments: [
      ("0", "0", "0"), ("12", "12", "12"), ("5/2", "2.5", "2.5"), ("121/100", "1.21", "1.21"),
      ("121121/30000", "4.037", "4.038"), ("3999999/1000000", "3.999", "4"),
      ("1/96000", "1/96000", "0.001"), ("9223372036854775807/2", "4611686018427387903.5", nil),
      ("-5/4", "-5/4", "-5/4"),
    ] as [(String, String, String?)])
  func `a length in a message has at most three decimals`(
    text: String, down: String, up: String?
  ) throws {
    let time = try RationalTime(text)
    #expect(time.shortDecimal() == down)
    #expect(time.shortDecimal(roundedUp: true) == up ?? down)
  }

  @Test(arguments: [
    ("", TimeTextError.notATime("")), ("1e3", .notATime("1e3")), ("1/0", .zeroDenominator("1/0")),
    ("0/0", .zeroDenominator("0/0")), ("a", .notATime("a")), ("1/2/3", .notATime("1/2/3")),
    ("1.", .notATime("1.")), ("1.-5", .notATime("1.-5")), (" 1", .notATime(" 1")),
    ("+1", .notATime("+1")), ("٣", .notATime("٣")),
    ("9223372036854775808", .tooLarge("9223372036854775808")),
    ("0.0000000000000000001", .tooLarge("0.0000000000000000001")),
  ])
  func `text that is not a time is rejected with the reason`(text: String, error: TimeTextError) {
    #expect(throws: error) { try RationalTime(text) }
  }

  @Test func `a time reads back from its description`() throws {
    var random = SeededRandom(seed: 1)
    for _ in 0..<1000 {
      let time = try RationalTime(
        .random(in: -1_000_000...1_000_000, using: &random),
        .random(in: 1...1_000_000, using: &random))
      #expect(try RationalTime(time.description) == time)
    }
  }

  @Test func `arithmetic that does not fit throws instead of trapping`() throws {
    let (large, odd) = (RationalTime(.max), try RationalTime(1, .max))
    #expect(throws: TimeError.overflow) { try large + large }
    #expect(throws: TimeError.overflow) { try large * large }
    #expect(throws: TimeError.overflow) { try odd + RationalTime(1, .max - 1) }
    #expect(throws: TimeError.overflow) { try RationalTime(.min) * -1 }
    #expect(throws: TimeError.divisionByZero) { try large / .zero }
    #expect(throws: TimeError.zeroDenominator) { try RationalTime(1, 0) }
    #expect(throws: TimeError.overflow) { try RationalTime(1, .min) }
    #expect(throws: TimeError.overflow) { try large.ticks(of: odd) }
  }

  @Test(arguments: [TickRounding.down, .up, .nearest])
  func `rounding to ticks works for the largest fractions`(rounding: TickRounding) throws {
    let time = try RationalTime(.max, .max - 1)
    let unit = try RationalTime(.max - 1, .max)
    #expect(try time.ticks(of: unit, rounding: rounding) == (rounding == .up ? 2 : 1))
  }

  @Test func `ticks are rounded down, up and to the nearest`() throws {
    var random = SeededRandom(seed: 2)
    for _ in 0..<2000 {
      let numerator = Int64.random(in: -100_000...100_000, using: &random)
      let denominator = Int64.random(in: 1...1000, using: &random)
      let time = try RationalTime(numerator, denominator)
      let unit = try RationalTime(.random(in: 1...1000, using: &random), 600)
      let down = try time.ticks(of: unit)
      #expect(try unit * down <= time)
      #expect(try time < unit * (down + 1))
      let isWhole = try unit * down == time
      #expect(try time.ticks(of: unit, rounding: .up) == (isWhole ? down : down + 1))
      let isPastHalf = try unit * down + unit / RationalTime(2) <= time
      #expect(try time.ticks(of: unit, rounding: .nearest) == (isPastHalf ? down + 1 : down))
    }
  }

  @Test func `comparison is exact even if floating point is not`() throws {
    let (a, b) = (try RationalTime(.max - 1, .max), try RationalTime(.max - 2, .max - 1))
    #expect(b < a)
    #expect(a.seconds == b.seconds)
  }
}
