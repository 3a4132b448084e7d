extension Option where Value: FixedWidthInteger {
  /// Creates an option whose value is a whole number.
  ///
  /// - Parameter unit: the plural of the unit for messages, e.g. `bytes`.
  package init(
    _ name: String, value placeholder: String, in range: ClosedRange<Value>,
    of unit: String? = nil, help: String
  ) {
    let numbers = "a whole number" + (unit.map { " of \($0)" } ?? "")
    self.init(
      name, value: placeholder,
      expecting: "\(numbers) from \(range.lowerBound) to \(range.upperBound)", help: help
    ) { text in Value(text).flatMap { range.contains($0) ? $0 : nil } }
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
  /// Creates an option whose value is a whole number of seconds.
  package init(
    _ name: String, value placeholder: String = "SECONDS", seconds range: ClosedRange<Int64>,
    help: String
  ) {
    self.init(
      name, value: placeholder,
      expecting:
        "a whole number of seconds from \(range.lowerBound) to \(range.upperBound)", help: help
    ) { text in Int64(text).flatMap { range.contains($0) ? .seconds($0) : nil } }
  }
}
