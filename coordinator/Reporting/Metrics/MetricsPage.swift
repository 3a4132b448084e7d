import FarmAPI

/// A page in Prometheus' text format, version 0.0.4.
///
/// Names follow Prometheus' rules: base units as suffixes, and `_total` for counters. A family is complete when it is
/// added, so that its samples stay together.
package struct MetricsPage: Sendable {
  /// The value of the `Content-Type` header.
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// The names and values that distinguish the samples of a family.
  package typealias Labels = KeyValuePairs<String, String>

  /// A value with its labels.
  package struct Sample: Sendable {
    fileprivate let labels: String
    fileprivate let value: Double

    package init(_ value: Double, _ labels: Labels = [:]) {
      self.labels = MetricsPage.text(of: labels)
      self.value = value
    }

    package init(_ value: Int, _ labels: Labels = [:]) { self.init(Double(value), labels) }
  }

  /// The page so far.
  package private(set) var text = ""

  package init() {}

  /// Adds a family of values that rise and fall.
  package mutating func gauge(_ name: String, _ help: String, _ samples: [Sample]) {
    add(name, help, "gauge", samples)
  }

  /// Adds a value that rises and falls.
  package mutating func gauge(_ name: String, _ help: String, _ value: Int) {
    gauge(name, help, [Sample(value)])
  }

  /// Adds a value that rises and falls.
  package mutating func gauge(_ name: String, _ help: String, _ value: Double) {
    gauge(name, help, [Sample(value)])
  }

  /// Adds a family of values that only rise, and start again at zero with the coordinator.
  package mutating func counter(_ name: String, _ help: String, _ samples: [Sample]) {
    add(name, help, "counter", samples)
  }

  /// Adds a value that only rises, and starts again at zero with the coordinator.
  package mutating func counter(_ name: String, _ help: String, _ value: Int) {
    counter(name, help, [Sample(value)])
  }

  /// Adds a family of histograms.
  package mutating func histogram(
    _ name: String, _ help: String, _ histograms: [(Labels, Histogram)]
  ) {
    describe(name, help, "histogram")
    for (labels, histogram) in histograms {
      for (bound, count) in histogram.cumulative {
        let limit = "le=\"\(bound.map(Self.text) ?? "+Inf")\""
        text += "\(name)_bucket\(Self.text(of: labels, and: limit)) \(count)\n"
      }
      text += "\(name)_sum\(Self.text(of: labels)) \(Self.text(histogram.sum))\n"
      text += "\(name)_count\(Self.text(of: labels)) \(histogram.count)\n"
    }
  }

  /// Adds the families of another page.
  package mutating func add(_ other: MetricsPage) { text += other.text }

  private mutating func add(_ name: String, _ help: String, _ type: String, _ samples: [Sample]) {
    describe(name, help, type)
    for sample in samples { text += "\(name)\(sample.labels) \(Self.text(sample.value))\n" }
  }

  private mutating func describe(_ name: String, _ help: String, _ type: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  private static func text(of labels: Labels, and last: String? = nil) -> String {
    let all = labels.map { "\($0)=\"\(escaped($1))\"" } + [last].compactMap(\.self)
    return all.isEmpty ? "" : "{\(all.joined(separator: ","))}"
  }

  /// A label's value. Names come from outside, so they are made printable first.
  private static func escaped(_ value: String) -> String {
    PrintableText(value).description.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }

  private static func text(_ value: Double) -> String {
    if let whole = Int(exactly: value) { return "\(whole)" }
    if value.isNaN { return "NaN" }
    return value.isInfinite ? (value < 0 ? "-Inf" : "+Inf") : "\(value)"
  }
}
