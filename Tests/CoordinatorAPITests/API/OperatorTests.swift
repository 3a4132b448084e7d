import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

@Suite(.mayBlock) struct OperatorTests {
  private func fetch(_ path: String, from farm: TestFarm) async throws -> Response {
    await farm.coordinator.router.respond(to: try Request(.get, path))
  }

  @Test(arguments: ["/", "/metrics", "/healthz", "/readyz", "/openapi.json"])
  func `the routes for operators respond`(path: String) async throws {
    #expect(try await fetch(path, from: TestFarm()).status == .ok)
  }

  @Test func `the metrics count the jobs by state`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    let metrics = String(
      decoding: try await fetch("/metrics", from: farm).content(), as: UTF8.self)
    #expect(metrics.contains("sheaf_jobs{state=\"cancelled\"} 1\n"))
  }

  @Test func `every described route responds and allows its method`() async throws {
    let farm = try await TestFarm()
    let document = try JSONSerialization.jsonObject(
      with: await fetch("/openapi.json", from: farm).content())
    let paths = try #require(
      (document as? [String: Any])?["paths"] as? [String: [String: Any]])
    #expect(paths.count == 54)
    for (path, operations) in paths where !path.hasSuffix("/events") {
      for method in operations.keys {
        let target = path.replacingOccurrences(of: "{", with: "").replacingOccurrences(
          of: "}", with: "")
        let response = await farm.coordinator.router.respond(
          to: try Request(HTTP.Method(rawValue: method.uppercased()), target))
        #expect(response.status != .methodNotAllowed, "\(method) \(path)")
        #expect(response.status != .internalServerError, "\(method) \(path)")
      }
    }
  }
}
