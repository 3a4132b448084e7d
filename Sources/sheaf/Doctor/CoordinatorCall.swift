import FarmAPI
import Foundation
import HTTP

/// The calls with which `sheaf doctor` examines a coordinator. Each is made once.
struct CoordinatorCall: Sendable {
  /// The coordinator's base URL.
  let base: String
  private let client: Client

  private static let timeout = Duration.seconds(5)

  init(to base: String, with credentials: Credentials = Credentials()) {
    self.base = base
    client = Client(userAgent: "sheaf", credentials: credentials, connectTimeout: Self.timeout)
  }

  /// A response with the clock's times around it.
  struct Answer: Sendable {
    let response: ClientResponse
    let sent: Date
    let received: Date
  }

  /// Sends a request.
  ///
  /// - Throws: `ClientError`, or `CancellationError`.
  func get(_ path: String) async throws -> Answer {
    var request = ClientRequest(.get, base + path, timeout: Self.timeout, responseLimit: 1 << 20)
    request.wantsCertificate = true
    let sent = Date()
    let response = try await client.send(request)
    return Answer(response: response, sent: sent, received: Date())
  }

  /// Whether a coordinator answers.
  var isHealthy: Bool {
    get async {
      guard let answer = try? await get("/healthz") else { return false }
      return Self.isHealthy(answer.response)
    }
  }

  /// Whether a response is a coordinator's to `/healthz`.
  static func isHealthy(_ response: ClientResponse) -> Bool {
    response.status == .ok && response.body == Data("ok\n".utf8)
  }
}
