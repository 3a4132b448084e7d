import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// The status page's session, and requests that pages of other sites make a browser send.
@Suite(.mayBlock) struct BrowserTests {
  private func send(
    _ method: HTTP.Method, _ path: String, to farm: TestFarm, headers: Headers = [:],
    body: String = ""
  ) async throws -> Response {
    await farm.coordinator.router.respond(
      to: try Request(method, path, headers: headers, body: Data(body.utf8)))
  }

  /// Signs in, and returns the `Cookie` header to send and the attributes of the cookie.
  private func signIn(_ holder: TokenHolder) async throws -> (cookie: String, attributes: String) {
    let response = try await send(
      .post, "/session", to: holder.farm, body: "{\"token\": \"\(holder.token)\"}")
    #expect(response.status == .created)
    let field = try #require(response.headers["Set-Cookie"])
    let parts = field.split(separator: ";", maxSplits: 1).map(String.init)
    return (parts[0], parts[1])
  }

  @Test func `a session can do what its token can until it signs out`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let eve = try TokenHolder(.observer, "eve", of: farm)
    let (cookie, attributes) = try await signIn(eve)
    #expect(attributes.contains("HttpOnly"))
    #expect(attributes.contains("SameSite=Strict"))
    #expect(!cookie.contains(eve.token))
    let headers: Headers = ["Cookie": "other=1; \(cookie)"]
    #expect(try await send(.get, "/api/v1/jobs", to: farm, headers: headers).status == .ok)
    let refused = try await send(.post, "/api/v1/jobs", to: farm, headers: headers)
    #expect(refused.status == .forbidden)
    let out = try await send(.delete, "/session", to: farm, headers: headers)
    #expect(out.status == .noContent)
    let after = try await send(.get, "/api/v1/jobs", to: farm, headers: headers)
    #expect(after.status == .unauthorized)
  }

  @Test func `over TLS, no other host can set the session's cookie`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let eve = try TokenHolder(.observer, "eve", of: farm)
    let files = try Certificates(in: farm.directory.path)
    let security = try ServerSecurity(
      certificateFile: files.path("server.pem"), keyFile: files.path("server.key"))
    let server = try Server(
      ServerConfiguration(security: security), router: farm.coordinator.router)
    let client = Client(credentials: Credentials(authorityFile: files.path("ca.pem")))
    let base = "https://127.0.0.1:\(server.port)"
    let signedIn = try await client.send(
      ClientRequest(.post, base + "/session", body: Data("{\"token\": \"\(eve.token)\"}".utf8)))
    let field = try #require(signedIn.headers["Set-Cookie"])
    #expect(field.hasPrefix("__Host-sheaf_session="))
    #expect(field.contains("; Path=/;") && field.contains("; Secure"))
    #expect(!field.lowercased().contains("domain"))
    let cookie = String(field.prefix { $0 != ";" })
    for (sent, status) in [
      (cookie, Status.ok), (String(cookie.dropFirst("__Host-".count)), .unauthorized),
    ] {
      let response = try await client.send(
        ClientRequest(.get, base + "/api/v1/jobs", headers: ["Cookie": sent]))
      #expect(response.status == status, "\(sent.prefix(20))")
    }
    await server.shutdown(grace: .zero)
  }

  @Test func `revoking a token ends its session`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let eve = try TokenHolder(.observer, "eve", of: farm)
    let (cookie, _) = try await signIn(eve)
    try eve.revoke()
    let response = try await send(.get, "/api/v1/jobs", to: farm, headers: ["Cookie": cookie])
    #expect(response.status == .unauthorized)
  }

  @Test func `a session expires after 12 hours`() async throws {
    let time = Mutex(Date(timeIntervalSince1970: 0))
    let farm = try await TestFarm(access: .tokens)
    let eve = try TokenHolder(.observer, "eve", of: farm)
    let access = Access(
      .tokens, data: farm.directory.path("data"), log: Log(.quiet) { _ in },
      now: { time.withLock { $0 } })
    let cookie = try access.signIn(with: eve.token).session
    let request = try Request(.get, "/", headers: ["Cookie": "sheaf_session=\(cookie)"])
    #expect(try access.admit(request.head, to: .everyRole).name == "eve")
    time.withLock { $0 = Date(timeIntervalSince1970: 13 * 3600) }
    #expect(throws: AccessError.self) { try access.admit(request.head, to: .everyRole) }
  }

  @Test func `signing in with a wrong token is refused`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let response = try await send(.post, "/session", to: farm, body: "{\"token\": \"sheaf_x\"}")
    #expect(response.status == .unauthorized)
    #expect(response.headers["Set-Cookie"] == nil)
  }

  private static let foreign: [Headers] = [
    ["Host": "127.0.0.1:7420", "Origin": "http://evil.example"],
    ["Host": "127.0.0.1:7420", "Origin": "null"],
    ["Host": "127.0.0.1:7420", "Origin": "http://127.0.0.1:8000"],
    ["Host": "127.0.0.1:7420", "Sec-Fetch-Site": "cross-site"],
    ["Host": "localhost", "Sec-Fetch-Site": "same-site"],
  ]

  @Test(arguments: foreign, [Access.Policy.loopback, .tokens])
  func `requests from another site's page are refused`(
    headers: Headers, policy: Access.Policy
  ) async throws {
    let farm = try await TestFarm(access: policy)
    let root = try TokenHolder(.admin, "root", of: farm)
    var headers = headers
    headers["Cookie"] = try await signIn(root).cookie
    for (method, path) in [
      (HTTP.Method.post, "/api/v1/jobs/x/cancel"), (.get, "/api/v1/jobs"), (.delete, "/session"),
    ] {
      let response = try await send(method, path, to: farm, headers: headers)
      #expect(response.status == .forbidden, "\(method) \(path)")
    }
  }

  @Test func `requests from the coordinator's own page are accepted`() async throws {
    let farm = try await TestFarm()
    let headers: Headers = [
      "Host": "127.0.0.1:7420", "Origin": "http://127.0.0.1:7420", "Sec-Fetch-Site": "same-origin",
    ]
    let response = try await send(.post, "/api/v1/jobs/x/cancel", to: farm, headers: headers)
    #expect(response.status == .notFound)
  }

  @Test(arguments: ["evil.example", "evil.example:7420", "127.0.0.1.evil.example", "10.0.0.1", ""])
  func `on loopback, a request whose Host names another host is refused`(host: String) async throws
  {
    let farm = try await TestFarm()
    let response = try await send(.get, "/api/v1/jobs", to: farm, headers: ["Host": host])
    #expect(response.status == .forbidden)
  }

  @Test(arguments: ["127.0.0.1", "127.0.0.1:7420", "[::1]:7420", "localhost:7420", "LOCALHOST"])
  func `on loopback, a request whose Host is a loopback name is accepted`(host: String) async throws
  {
    let farm = try await TestFarm()
    let response = try await send(.get, "/api/v1/jobs", to: farm, headers: ["Host": host])
    #expect(response.status == .ok)
  }

  @Test(arguments: [
    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
  ])
  func `a JSON route refuses the content types of forms`(type: String) async throws {
    let farm = try await TestFarm()
    let response = try await send(
      .post, "/api/v1/workers", to: farm, headers: ["Content-Type": type], body: "{}")
    #expect(response.status == .unsupportedMediaType)
    #expect(try await response.problem() == .mediaType)
  }

  // The page has no information about the farm, so it may be kept if it is compared before each use.
  @Test(arguments: [
    ("/api/v1/jobs", "no-store"), ("/openapi.json", "no-store"), ("/session", "no-store"),
    ("/", "no-cache"),
  ])
  func `responses forbid caching and content sniffing`(
    path: String, control: String
  ) async throws {
    let response = try await send(.get, path, to: TestFarm())
    #expect(response.headers["Cache-Control"] == control)
    #expect(response.headers["X-Content-Type-Options"] == "nosniff")
  }

  @Test func `the page can run only its own script`() async throws {
    let response = try await send(.get, "/", to: TestFarm(access: .tokens))
    #expect(response.status == .ok)
    let policy = try #require(response.headers["Content-Security-Policy"])
    #expect(policy.contains("default-src 'none'"))
    #expect(policy.contains("frame-ancestors 'none'"))
  }
}
