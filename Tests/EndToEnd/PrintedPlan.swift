import Foundation
import Support
import Testing

/// The output of `sheaf plan` for a project.
enum PrintedPlan {
  struct Segment: Decodable {
    let first: Int
    let end: Int
  }

  /// The output frames of each segment.
  static func segments(
    of project: String, in folder: TemporaryDirectory
  ) throws -> [Segment] {
    struct Plan: Decodable { let segments: [Segment] }
    let text = try output(of: project, in: folder, "--json")
    return try JSONDecoder().decode(Plan.self, from: Data(text.utf8)).segments
  }

  /// The estimated size in bytes, with the precision of the printed number: 1/20 of its unit.
  static func estimatedLength(
    of project: String, in folder: TemporaryDirectory
  ) throws -> Double {
    let words = try output(of: project, in: folder).split(whereSeparator: { " ,\n".contains($0) })
    let about = try #require(words.firstIndex(of: "about"))
    let units = ["KiB": 1024.0, "MiB": 1_048_576]
    return try #require(Double(words[about + 1])) * #require(units[String(words[about + 2])])
  }

  private static func output(
    of project: String, in folder: TemporaryDirectory, _ options: String...
  ) throws -> String {
    let file = folder.path("plan-\(UUID().uuidString).json")
    try project.write(toFile: file, atomically: true, encoding: .utf8)
    let outcome = try Program.sheaf.run(["plan", file] + options, in: folder.path)
    try #require(outcome.status == 0, "sheaf plan: \(outcome.standardError)")
    return outcome.standardOutput
  }
}
