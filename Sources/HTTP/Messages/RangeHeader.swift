/// The `Range` header of a request for bytes (RFC 9110, section 14.2).
public enum RangeHeader {
  /// The part of a representation that a `Range` header selects.
  public enum Selection: Hashable, Sendable {
    /// The whole representation, because the header is ignored.
    case whole
    /// A half-open range of offsets, which is never empty.
    case part(Range<Int64>)
    /// Nothing, because the range lies outside the representation. The response is 416.
    case unsatisfiable
  }

  /// Parses the value of a `Range` header for a representation of `size` bytes.
  ///
  /// Other units, invalid values and multiple ranges select the whole representation, as the RFC allows.
  public static func parse(_ value: String, size: Int64) -> Selection {
    let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].trimmed.lowercased() == "bytes" else { return .whole }
    let specification = parts[1].trimmed
    guard !specification.contains(",") else { return .whole }
    let bounds = specification.split(
      separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard bounds.count == 2 else { return .whole }
    switch (bounds[0].trimmed, bounds[1].trimmed) {
    case ("", ""):
      return .whole
    case ("", let suffix):
      guard let length = number(suffix) else { return .whole }
      guard length > 0, size > 0 else { return .unsatisfiable }
      return .part(max(0, size - length)..<size)
    case (let first, ""):
      guard let first = number(first) else { return .whole }
      return first < size ? .part(first..<size) : .unsatisfiable
    case (let first, let last):
      guard let first = number(first), let last = number(last), first <= last else {
        return .whole
      }
      return first < size ? .part(first..<min(size - 1, last) + 1) : .unsatisfiable
    }
  }

  /// The `Content-Range` value for `part` of `size` bytes.
  static func contentRange(_ part: Range<Int64>, of size: Int64) -> String {
    "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)"
  }

  /// Parses the `Content-Range` of a 206. Returns the offset of the first byte, and the size of the whole
  /// representation if it is known.
  static func parseContentRange(_ value: String) -> (first: Int64, size: Int64?)? {
    guard value.hasPrefix("bytes ") else { return nil }
    let parts = value.dropFirst("bytes ".count).split(separator: "/", maxSplits: 1)
    guard parts.count == 2, let dash = parts[0].firstIndex(of: "-"),
      let first = number(parts[0][..<dash])
    else { return nil }
    return (first, number(parts[1]))
  }

  /// Parses decimal digits. Numbers that exceed 64 bits become the largest number.
  private static func number(_ digits: Substring) -> Int64? {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int64(digits) ?? .max
  }
}
