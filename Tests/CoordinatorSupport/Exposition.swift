import Foundation
import HTTP

/// A page in Prometheus' text format, read by the letter of its specification.
package struct Exposition {
  package struct Problem: Error, CustomStringConvertible {
    package let description: String
  }

  package struct Sample: Hashable {
    package let name: String
    package let labels: [String: String]
    package let value: Double
  }

  package struct Family {
    package let name: String
    package let type: String
    package let help: String
    package var samples: [Sample] = []
  }

  package private(set) var families: [String: Family] = [:]

  /// The names of everything that a query can select, including `_bucket`, `_sum` and `_count` of histograms.
  package var names: Set<String> {
    Set(
      families.values.flatMap { family in
        family.type == "histogram"
          ? ["_bucket", "_sum", "_count"].map { family.name + $0 } : [family.name]
      })
  }

  package init(_ text: String) throws {
    guard text.hasSuffix("\n") else { throw Problem(description: "the last line has no end") }
    var help: (name: String, text: String)?
    var current: String?
    for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
      if line.hasPrefix("# HELP ") {
        guard words.count == 4, !words[3].isEmpty else { throw Self.problem(line, "has no text") }
        help = (String(words[2]), String(words[3]))
      } else if line.hasPrefix("# TYPE ") {
        guard let described = help, words.count == 4, described.name == words[2] else {
          throw Self.problem(line, "does not follow its HELP line")
        }
        guard families[described.name] == nil else { throw Self.problem(line, "is repeated") }
        families[described.name] = Family(
          name: described.name, type: String(words[3]), help: described.text)
        (current, help) = (described.name, nil)
      } else {
        guard let name = current else { throw Self.problem(line, "belongs to no family") }
        let sample = try Self.sample(line)
        guard Self.suffixes(of: families[name]).contains(where: { sample.name == name + $0 }) else {
          throw Self.problem(line, "stands in the family \(name)")
        }
        families[name]?.samples.append(sample)
      }
    }
    for family in families.values { try Self.check(family) }
  }

  /// The value of a sample; `nil` if there is none.
  package func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
    families.values.lazy.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
  }

  private static func suffixes(of family: Family?) -> [String] {
    family?.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
  }

  private static func problem(_ line: Substring, _ what: String) -> Problem {
    Problem(description: "\(line): \(what)")
  }

  /// Reads `name{label="value",…} number`.
  private static func sample(_ line: Substring) throws -> Sample {
    var rest = line
    let name = String(rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
    guard let first = name.first, !first.isNumber else { throw problem(line, "has no name") }
    rest = rest.dropFirst(name.count)
    var labels: [String: String] = [:]
    if rest.first == "{" {
      rest = rest.dropFirst()
      while rest.first != "}" {
        let key = String(rest.prefix { $0.isASCII && ($0.isLetter || $0 == "_") })
        rest = rest.dropFirst(key.count)
        guard !key.isEmpty, rest.hasPrefix("=\"") else { throw problem(line, "has a bad label") }
        rest = rest.dropFirst(2)
        var value = ""
        while let character = rest.first, character != "\"" {
          rest = rest.dropFirst()
          guard character == "\\" else {
            value.append(character)
            continue
          }
          switch rest.first {
          case "\\": value.append("\\")
          case "\"": value.append("\"")
          case "n": value.append("\n")
          default: throw problem(line, "has a bad escape")
          }
          rest = rest.dropFirst()
        }
        guard rest.first == "\"", labels.updateValue(value, forKey: key) == nil else {
          throw problem(line, "has a bad label value")
        }
        rest = rest.dropFirst()
        if rest.first == "," {
          rest = rest.dropFirst()
        } else if rest.first != "}" {
          throw problem(line, "has a bad list of labels")
        }
      }
      rest = rest.dropFirst()
    }
    guard rest.first == " ", let value = Double(rest.dropFirst().replacing("Inf", with: "inf"))
    else { throw problem(line, "has no value") }
    return Sample(name: name, labels: labels, value: value)
  }

  private static func check(_ family: Family) throws {
    let identities = Set(
      family.samples.map { "\($0.name) \($0.labels.sorted { $0.key < $1.key })" })
    guard identities.count == family.samples.count else {
      throw Problem(description: "\(family.name) repeats a sample")
    }
    switch family.type {
    case "gauge":
      guard !["_total", "_count", "_bucket", "_sum"].contains(where: family.name.hasSuffix) else {
        throw Problem(description: "\(family.name) has a suffix that is not for gauges")
      }
    case "counter":
      guard family.name.hasSuffix("_total"), family.samples.allSatisfy({ $0.value >= 0 }) else {
        throw Problem(description: "\(family.name) is not a counter")
      }
    case "histogram": try checkHistogram(family)
    default: throw Problem(description: "\(family.name) has the type \(family.type)")
    }
  }

  private static func checkHistogram(_ family: Family) throws {
    let series = Dictionary(grouping: family.samples) { $0.labels.filter { $0.key != "le" } }
    for (labels, samples) in series {
      let buckets = samples.filter { $0.name.hasSuffix("_bucket") }
      let bounds = buckets.compactMap { $0.labels["le"] }
        .compactMap { Double($0.replacing("Inf", with: "inf")) }
      let count = samples.first { $0.name == family.name + "_count" }?.value
      let isWhole =
        bounds.count == buckets.count && bounds.last == .infinity && bounds == bounds.sorted()
        && buckets.map(\.value) == buckets.map(\.value).sorted() && buckets.last?.value == count
        && samples.contains { $0.name == family.name + "_sum" }
      guard isWhole else {
        throw Problem(description: "\(family.name)\(labels) is not a complete histogram")
      }
    }
  }
}

extension TestFarm {
  /// The page of metrics, checked.
  package func exposition() async throws -> Exposition {
    let response = try await respond(to: .get, "/metrics")
    return try Exposition(String(decoding: try await response.content(), as: UTF8.self))
  }
}
