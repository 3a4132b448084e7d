import Foundation

/// Times in the header fields of HTTP.
public enum HTTPDate {
  /// Reads a time in the preferred form (RFC 9110, section 5.6.7), e.g. `Sun, 06 Nov 1994 08:49:37 GMT`. Returns `nil`
  /// for the obsolete forms.
  public static func read(_ text: String) -> Date? { preferred.date(from: text) }

  /// Shared, because creating a formatter takes longer than using it.
  private static let preferred = formatter("EEE, dd MMM yyyy HH:mm:ss 'GMT'")

  /// Reads an English time in UTC by Unicode's pattern.
  static func date(_ text: String, format: String) -> Date? { formatter(format).date(from: text) }

  private static func formatter(_ format: String) -> DateFormatter {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = format
    return formatter
  }
}
