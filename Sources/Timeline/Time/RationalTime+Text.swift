extension RationalTime {
  /// Parses an integer (`"3"`), a fraction (`"1001/30000"`) or an exact decimal (`"2.5"`), each with an optional
  /// minus sign.
  ///
  /// - Throws: ``TimeTextError``.
  public init(_ text: String) throws(TimeTextError) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    do throws(TimeError) {
      switch parts.count {
      case 2:
        self = try RationalTime(Self.integer(parts[0]), Self.integer(parts[1]))
      default:
        self = try Self.decimal(text[...])
      }
    } catch {
      switch error {
      case .zeroDenominator, .divisionByZero: throw .zeroDenominator(text)
      case .overflow: throw .tooLarge(text)
      case .notANumber: throw .notATime(text)
      }
    }
  }

  private static func integer(_ digits: Substring) throws(TimeError) -> Int64 {
    let magnitude = digits.hasPrefix("-") ? digits.dropFirst() : digits
    guard !magnitude.isEmpty, magnitude.allSatisfy({ $0.isASCII && $0.isNumber }) else {
      throw .notANumber
    }
    guard let value = Int64(digits) else { throw .overflow }
    return value
  }

  private static func decimal(_ text: Substring) throws(TimeError) -> RationalTime {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return RationalTime(try integer(text)) }
    let places = parts[1].count
    guard places > 0, !parts[1].hasPrefix("-") else { throw .notANumber }
    guard places <= 18 else { throw .overflow }
    var scale: Int64 = 1
    for _ in 0..<places { scale *= 10 }
    return try RationalTime(integer(parts[0] + parts[1]), scale)
  }
}

extension RationalTime: CustomStringConvertible {
  /// The integer or `numerator/denominator`, which parses back to the same time.
  public var description: String {
    denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)"
  }
}

/// The reason why a string is not a valid time.
public enum TimeTextError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text is neither an integer nor a fraction nor a decimal.
  case notATime(String)
  /// The denominator is zero.
  case zeroDenominator(String)
  /// The value does not fit in a 64-bit fraction.
  case tooLarge(String)

  /// The remedy for text that is not a time.
  package static let form = "use an integer, \"n/d\" or a decimal string such as \"2.5\""

  package var problem: String {
    switch self {
    case .notATime(let text): "\"\(text)\" is not a time"
    case .zeroDenominator(let text): "\"\(text)\" has a denominator of zero"
    case .tooLarge(let text): "\"\(text)\" does not fit in a 64-bit fraction"
    }
  }

  package var remedy: String {
    switch self {
    case .notATime: Self.form
    case .zeroDenominator: "use a denominator other than zero"
    case .tooLarge: "use a simpler time"
    }
  }

  /// The problem and the remedy.
  public var description: String { "\(problem); \(remedy)" }
}
