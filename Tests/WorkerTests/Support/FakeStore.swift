import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization

/// An object store in which workers leave chunks.
final class FakeStore: Sendable {
  private final class Shared: Sendable {
    let left = Mutex<[String: Data]>([:])
    let isDown = Mutex(false)
    let requests = Mutex<[Headers]>([])
  }

  private let shared = Shared()
  private let server: Server

  init() throws {
    var router = Router()
    router.put("/left/{name}") { [shared] request in
      shared.requests.withLock { $0.append(request.headers) }
      guard !shared.isDown.withLock(\.self) else {
        throw HTTPError(.serviceUnavailable, detail: "")
      }
      guard request.headers["x-checksum"] == Digest.of(request.body).description else {
        throw HTTPError(.forbidden, detail: "the header field is missing")
      }
      let name = try request.head.parameter("name")
      shared.left.withLock { $0[name] = request.body }
      return Response(.ok)
    }
    server = try Server(try ServerConfiguration(port: 0), router: router)
  }

  /// The bytes that a worker left under a name.
  func left(_ name: String) -> Data? { shared.left.withLock { $0[name] } }

  /// The header fields of all requests.
  var requests: [Headers] { shared.requests.withLock(\.self) }

  /// Rejects requests from now on.
  func fail() { shared.isDown.withLock { $0 = true } }

  /// The link with which a worker leaves a chunk.
  func link(to delivery: StorageDelivery) -> StorageLink {
    StorageLink(
      url: "http://127.0.0.1:\(server.port)/left/\(delivery.name)",
      headers: ["x-checksum": "\(delivery.sha256)"])
  }
}
