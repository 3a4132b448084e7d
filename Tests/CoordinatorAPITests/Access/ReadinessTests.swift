import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// A coordinator is ready only if it can accept work and get it done.
@Suite(.mayBlock) struct ReadinessTests {
  private func readiness(_ farm: TestFarm) async throws -> (Status, String) {
    let response = await farm.coordinator.router.respond(to: try Request(.get, "/readyz"))
    guard response.status != .ok else { return (.ok, "") }
    let problem = try JSONDecoder().decode(ProblemDocument.self, from: await response.content())
    return (response.status, problem.detail)
  }

  @Test func `a coordinator without tokens for workers and submitters is not ready and says why`()
    async throws
  {
    let farm = try await TestFarm(access: .tokens)
    let observer = try TokenHolder(.observer, "eve", of: farm)
    #expect(try await readiness(farm).0 == .serviceUnavailable)
    let worker = try TokenHolder(.worker, "rack", of: farm)
    let (status, detail) = try await readiness(farm)
    #expect(status == .serviceUnavailable)
    #expect(detail.contains("no submitter can connect"))
    _ = try TokenHolder(.submitter, "ada", of: farm)
    #expect(try await readiness(farm).0 == .ok)
    try worker.revoke()
    #expect(try await readiness(farm).1.contains("no worker can connect"))
    withExtendedLifetime(observer) {}
  }

  @Test func `a coordinator with a damaged tokens file is not ready and reveals no path`()
    async throws
  {
    let farm = try await TestFarm(access: .tokens)
    for (role, name) in [(Role.worker, "rack"), (.submitter, "ada")] {
      _ = try TokenHolder(role, name, of: farm)
    }
    #expect(try await readiness(farm).0 == .ok)
    try Data("{".utf8).write(to: URL(fileURLWithPath: TokenHolder.file(of: farm).path))
    let (status, detail) = try await readiness(farm)
    #expect(status == .serviceUnavailable)
    #expect(detail.contains("tokens file cannot be read"))
    #expect(!detail.contains("/"), "\(detail)")
  }

  @Test func `a coordinator on a loopback address is ready without tokens`() async throws {
    #expect(try await readiness(TestFarm()).0 == .ok)
  }
}
