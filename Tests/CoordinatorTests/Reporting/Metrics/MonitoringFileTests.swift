import CoordinatorSupport
import Foundation
import Support
import Testing

/// The dashboard and the alert rules in `docker/monitoring`.
@Suite(.mayBlock) struct MonitoringFileTests {
  private static let folder =
    URL(fileURLWithPath: #filePath).pathComponents.dropLast(5)
    .joined(separator: "/").dropFirst() + "/docker/monitoring"

  @Test(arguments: ["alerts.yml", "grafana-dashboard.json"])
  func `a monitoring file names only metrics that exist`(file: String) async throws {
    let farm = try await TestFarm()
    let names = try await farm.exposition().names
    let text = try String(contentsOfFile: "\(Self.folder)/\(file)", encoding: .utf8)
    let named = Set(
      text.matches(of: /\b(?:sheaf|process)_[a-z_]+[a-z]\b/).map { String($0.output) })
    #expect(named.count > 5)
    #expect(named.subtracting(names).sorted() == [])
  }

  @Test(.needsPromtool) func `the alert rules are valid`() throws {
    let arguments = ["check", "rules", "\(Self.folder)/alerts.yml"]
    let result = try Tool.output(of: "promtool", arguments)
    #expect(String(decoding: result.standardOutput, as: UTF8.self).contains("SUCCESS"))
  }

  @Test(.needsPromtool) func `the rules fire and stay quiet as their tests say`() throws {
    let arguments = ["test", "rules", "\(Self.folder)/alerts-test.yml"]
    #expect(throws: Never.self) { try Tool.run("promtool", arguments) }
  }

  @Test func `the dashboard's panels have titles, units and places`() throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/grafana-dashboard.json"))
    let dashboard = try #require(
      try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let panels = try #require(dashboard["panels"] as? [[String: Any]])
    #expect(panels.count > 8)
    var places: [(Int, Int, Int, Int)] = []
    for panel in panels {
      #expect((panel["title"] as? String)?.isEmpty == false)
      let place = try #require(panel["gridPos"] as? [String: Int])
      let (x, y, w, h) = (place["x"] ?? -1, place["y"] ?? -1, place["w"] ?? 0, place["h"] ?? 0)
      #expect(x >= 0 && y >= 0 && w > 0 && h > 0 && x + w <= 24)
      for (otherX, otherY, otherW, otherH) in places {
        let isApart =
          x >= otherX + otherW || otherX >= x + w || y >= otherY + otherH
          || otherY >= y + h
        #expect(isApart, "\(panel["title"] ?? "") overlaps another panel")
      }
      places.append((x, y, w, h))
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test, with a message, if promtool is absent.
  static var needsPromtool: Self {
    .enabled(if: Tool.isInstalled("promtool"), "promtool is absent: install prometheus")
  }
}
