/// Whole numbers with an optional unit, such as `4M`.
package enum ScaledNumber {
  /// Reads a number of bytes: `4096`, `64M` or `64MiB` (× 1024²), `1.5G`, `4GB` (× 1000³). Returns `nil` for anything
  /// else.
  package static func bytes(_ text: String) -> Int64? {
    let (digits, unit) = split(text)
    var name = unit.lowercased()
    let isDecimal = name.count == 2 && name.hasSuffix("b")
    if name.hasSuffix("ib") { name.removeLast(2) } else if name.hasSuffix("b") { name.removeLast() }
    guard let power = power(name) else { return nil }
    return scaled(digits, by: isDecimal ? 1000 : 1024, power: power)
  }

  /// Reads a number of bits per second: `4000000`, `4M`, `128k`, `2.5Mbps`, `800kbit/s`. Returns `nil` for anything else.
  package static func bitRate(_ text: String) -> Int64? {
    let (digits, unit) = split(text)
    var name = unit.lowercased()
    for ending in ["bits/s", "bit/s", "bps", "b/s", "bits", "bit", "b"] where name.hasSuffix(ending)
    {
      name.removeLast(ending.count)
      break
    }
    return power(name).flatMap { scaled(digits, by: 1000, power: $0) }
  }

  private static func split(_ text: String) -> (digits: Substring, unit: String) {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    return (digits, text[digits.endIndex...].trimmingPrefix(while: { $0 == " " }).description)
  }

  private static func power(_ unit: String) -> Int? {
    ["", "k", "m", "g", "t"].firstIndex(of: unit)
  }

  /// The exact product, or `nil` if it is not a whole number or too large.
  private static func scaled(_ digits: Substring, by base: Int64, power: Int) -> Int64? {
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = Int64(parts[0]) else { return nil }
    var factor: Int64 = 1
    for _ in 0..<power { factor *= base }
    let (product, overflow) = whole.multipliedReportingOverflow(by: factor)
    guard !overflow else { return nil }
    guard parts.count == 2 else { return product }
    guard power > 0 else { return nil }
    guard (1...6).contains(parts[1].count), let fraction = Int64(parts[1]) else { return nil }
    var scale: Int64 = 1
    for _ in parts[1] { scale *= 10 }
    let (part, isTooLarge) = fraction.multipliedReportingOverflow(by: factor)
    guard !isTooLarge, base == 1024 || part % scale == 0 else { return nil }
    let (sum, isTooMuch) = product.addingReportingOverflow(part / scale)
    return isTooMuch ? nil : sum
  }
}
