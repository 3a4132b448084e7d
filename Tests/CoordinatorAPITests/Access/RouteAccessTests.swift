import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// Every route with every role, and with no token, a wrong token and a revoked token, on a socket.
@Suite(.mayBlock) struct RouteAccessTests {
  /// The credentials of a request.
  private enum Holding: Hashable, CaseIterable {
    case submitter, worker, observer, admin
    case nothing, wrongToken, revokedToken
  }

  /// The credentials that each route admits. Every route must be listed here.
  private static let table: [String: Set<Holding>] = {
    let everyRole: Set<Holding> = [.submitter, .worker, .observer, .admin]
    let readers: Set<Holding> = [.submitter, .observer, .admin]
    let submitters: Set<Holding> = [.submitter, .admin]
    let observers: Set<Holding> = [.observer, .admin]
    let workers: Set<Holding> = [.worker]
    // An invalid token is refused even if the route needs none, so that its sender notices.
    let anyone = everyRole.union([.nothing])
    return [
      "GET /": anyone, "GET /page/{file}": anyone, "GET /healthz": anyone, "GET /readyz": anyone,
      "GET /session": anyone, "POST /session": anyone, "DELETE /session": anyone,
      "GET /openapi.json": everyRole, "GET /metrics": observers,
      "POST /api/v1/jobs": submitters, "GET /api/v1/jobs": readers,
      "GET /api/v1/jobs/{id}": readers, "GET /api/v1/jobs/{id}/segments": readers,
      "GET /api/v1/jobs/{id}/segments/{index}": readers,
      "GET /api/v1/jobs/{id}/segments/{index}/attempts": readers,
      "GET /api/v1/jobs/{id}/segments/{index}/thumbnail": readers,
      "GET /api/v1/jobs/{id}/attempts": readers,
      "GET /api/v1/jobs/{id}/project": readers, "GET /api/v1/jobs/{id}/plan": readers,
      "GET /api/v1/jobs/{id}/timeline": readers, "GET /api/v1/jobs/{id}/waveform": readers,
      "GET /api/v1/jobs/{id}/concealments": readers,
      "GET /api/v1/jobs/{id}/stream": readers, "GET /api/v1/jobs/{id}/stream.m3u8": readers,
      "GET /api/v1/jobs/{id}/stream/{track}/{file}": readers,
      "GET /api/v1/jobs/{id}/output": readers, "GET /api/v1/jobs/{id}/events": readers,
      "POST /api/v1/jobs/{id}/cancel": submitters, "POST /api/v1/jobs/{id}/retry": submitters,
      "PUT /api/v1/jobs/{id}/priority": submitters, "DELETE /api/v1/jobs/{id}": submitters,
      "POST /api/v1/projects/check": submitters,
      "POST /api/v1/recordings": submitters, "GET /api/v1/recordings": readers,
      "GET /api/v1/recordings/{id}": readers, "POST /api/v1/recordings/{id}/stop": submitters,
      "PUT /api/v1/recordings/{id}/stream": submitters,
      "GET /api/v1/recordings/{id}/outputs/{number}": readers,
      "GET /api/v1/recordings/{id}/stream.m3u8": readers,
      "GET /api/v1/recordings/{id}/parts/{part}/{file}": readers,
      "DELETE /api/v1/recordings/{id}": submitters,
      "GET /api/v1/tokens": [.admin], "POST /api/v1/tokens": [.admin],
      "DELETE /api/v1/tokens/{id}": [.admin],
      "GET /api/v1/farm": readers, "GET /api/v1/farm/history": readers,
      "GET /api/v1/events": readers, "GET /api/v1/jobs/{id}/deliveries": readers,
      "GET /api/v1/webhooks": observers,
      "HEAD /api/v1/assets/{digest}": everyRole, "GET /api/v1/assets/{digest}": everyRole,
      "GET /api/v1/assets/{digest}/blocks": everyRole, "GET /api/v1/assets/{digest}/link": workers,
      "GET /api/v1/scrub": observers,
      "PUT /api/v1/assets/{digest}": submitters,
      "POST /api/v1/workers": workers, "GET /api/v1/workers": observers,
      "POST /api/v1/workers/{id}/drain": [.admin], "POST /api/v1/workers/{id}/resume": [.admin],
      "POST /api/v1/workers/{id}/leases": workers,
      "PUT /api/v1/leases/{token}": workers, "PUT /api/v1/leases/{token}/chunk": workers,
      "POST /api/v1/leases/{token}/link": workers,
      "POST /api/v1/leases/{token}/failure": workers, "DELETE /api/v1/leases/{token}": workers,
    ]
  }()

  private let client = Client()

  @Test func `each route admits exactly the roles in the table`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let holders: [Holding: TokenHolder] = [
      .submitter: try TokenHolder(.submitter, "ada", of: farm),
      .worker: try TokenHolder(.worker, "rack", of: farm),
      .observer: try TokenHolder(.observer, "eve", of: farm),
      .admin: try TokenHolder(.admin, "root", of: farm),
      .revokedToken: try TokenHolder(.admin, "mallory", of: farm),
    ]
    try holders[.revokedToken]?.revoke()
    let server = try Server(ServerConfiguration(), router: farm.coordinator.router)
    for (route, admitted) in Self.table {
      let parts = route.split(separator: " ").map(String.init)
      let path = parts[1].replacing("{digest}", with: String(repeating: "0", count: 64))
        .replacing("{", with: "").replacing("}", with: "")
      for holding in Holding.allCases {
        var headers: Headers = [:]
        if let holder = holders[holding] { headers["Authorization"] = "Bearer \(holder.token)" }
        if holding == .wrongToken { headers["Authorization"] = "Bearer sheaf_wrong" }
        let status = try await status(
          ClientRequest(
            HTTP.Method(rawValue: parts[0]), "http://127.0.0.1:\(server.port)\(path)",
            headers: headers))
        let hasRole = holders[holding] != nil && holding != .revokedToken
        if admitted.contains(holding) {
          #expect(status != .unauthorized && status != .forbidden, "\(route), \(holding)")
        } else {
          #expect(status == (hasRole ? .forbidden : .unauthorized), "\(route), \(holding)")
        }
      }
    }
    await server.shutdown(grace: .zero)
  }

  /// The status of a response, whose content is not awaited, because it may not end.
  private func status(_ request: ClientRequest) async throws -> Status {
    struct HeadArrived: Error { let status: Status }
    do {
      return try await client.receive(request) { throw HeadArrived(status: $0.status) }.status
    } catch let head as HeadArrived {
      return head.status
    }
  }

  @Test func `the table lists every route`() async throws {
    let farm = try await TestFarm()
    let response = await farm.coordinator.router.respond(to: try Request(.get, "/openapi.json"))
    let document = try JSONSerialization.jsonObject(with: await response.content())
    let paths = try #require((document as? [String: Any])?["paths"] as? [String: [String: Any]])
    let routes = paths.flatMap { path, operations in
      operations.keys.map { "\($0.uppercased()) \(path)" }
    }
    #expect(Set(routes) == Set(Self.table.keys))
  }

  @Test func `the body of an unauthorized request is not read`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let server = try Server(ServerConfiguration(), router: farm.coordinator.router)
    let bytes = Data(count: 200 << 20)
    // The coordinator refuses the request's head, or closes the connection during the long body.
    let response = try? await client.send(
      ClientRequest(.post, "http://127.0.0.1:\(server.port)/api/v1/jobs", body: bytes))
    #expect(response.map { $0.status == .unauthorized } ?? true)
    #expect(try await farm.send(.get, "/jobs").status == .unauthorized)
    await server.shutdown(grace: .zero)
  }
}
