extension Option where Value: FixedWidthInteger {
  /// Creates an option whose value is a whole number.
  ///
  /// - Parameter unit: the plural of the unit for messages, e.g. `bytes`, which may be written as `64M` or `2G`.
  package init(
    _ name: String, value placeholder: String, in range: ClosedRange<Value>,
    of unit: String? = nil, help: String
  ) {
    let numbers = "a whole number" + (unit.map { " of \($0)" } ?? "")
    self.init(
      name, value: placeholder,
      expecting: "\(numbers) from \(range.lowerBound) to \(range.upperBound)", help: help
    ) { text in
      let value =
        unit == "bytes" ? ScaledNumber.bytes(text).flatMap(Value.init(exactly:)) : Value(text)
      return value.flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension Option<Int64> {
  /// Creates an option whose value is a number of bits per second, which may be written as `4M` or `128k`.
  package static func bitRate(_ name: String, value placeholder: String = "RATE", help: String)
    -> Option
  {
    Option(
      name, value: placeholder,
      expecting: "a number of bits per second such as 4000000, 4M or 128k",
      help: help
    ) { ScaledNumber.bitRate($0) }
  }
}

extension Option<Double> {
  /// Creates an option whose value is a decimal number.
  package init(
    _ name: String, value placeholder: String, in range: ClosedRange<Int>, help: String
  ) {
    self.init(
      name, value: placeholder,
      expecting: "a number from \(range.lowerBound) to \(range.upperBound)", help: help
    ) { text in
      let bounds = Double(range.lowerBound)...Double(range.upperBound)
      return Double(text).flatMap { bounds.contains($0) ? $0 : nil }
    }
  }
}

extension Option<Duration> {
  /// Creates an option whose value is a whole number of seconds, which may be written as `90s`, `15m`, `2h` or `1d`.
  package init(
    _ name: String, value placeholder: String = "SECONDS", seconds range: ClosedRange<Int64>,
    help: String
  ) {
    self.init(
      name, value: placeholder,
      expecting:
        "a whole number of seconds from \(range.lowerBound) to \(range.upperBound)", help: help
    ) { text in seconds(text).flatMap { range.contains($0) ? .seconds($0) : nil } }
  }
}

/// The number of seconds that a text states: digits, and a unit unless they are seconds.
private func seconds(_ text: String) -> Int64? {
  let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
  guard let last = text.last, let unit = units[last] else { return Int64(text) }
  guard let count = Int64(text.dropLast()) else { return nil }
  let (product, overflow) = count.multipliedReportingOverflow(by: unit)
  return overflow ? nil : product
}
