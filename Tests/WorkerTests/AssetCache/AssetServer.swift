import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization

/// A server of one asset that records requests and can fail.
final class AssetServer: Sendable {
  let content: [UInt8]
  let blocks: BlockDigests
  private let server: Server
  private let folder: TemporaryDirectory
  private let state: Shared

  private final class Shared: Sendable {
    let ranges = Mutex<[String]>([])
    let answers = Mutex<[Status]>([])
    let link = Mutex<StorageLink?>(nil)
    let linkRequests = Mutex(0)
  }

  init(byteCount: Int, blockSize: Int, seed: Int = 0) throws {
    let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ seed) }
    content = bytes
    blocks = BlockDigests.of(bytes, blockSize: blockSize)
    let tag = blocks.content.description
    folder = try TemporaryDirectory()
    let file = folder.path("asset")
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    let state = Shared()
    self.state = state
    var router = Router()
    router.get("/asset") { request in
      if let status = state.answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        throw HTTPError(status, detail: "told to fail")
      }
      state.ranges.withLock { $0.append(request.headers["Range"] ?? "all") }
      return try Response.file(
        path: file, request: request, contentType: "application/octet-stream", etag: tag)
    }
    router.get("/asset/link") { _ in
      state.linkRequests.withLock { $0 += 1 }
      guard let link = state.link.withLock(\.self) else {
        throw HTTPError(.notFound, detail: "there is no object store")
      }
      let body = try FarmCoding.encode(link)
      return .json(
        data: body, headers: [ContentDigest.headerName: ContentDigest.value(for: body)])
    }
    server = try Server(try ServerConfiguration(port: 0), router: router)
  }

  var url: String { "http://127.0.0.1:\(server.port)/asset" }

  /// The ranges that were requested and sent.
  var ranges: [String] { state.ranges.withLock { $0 } }

  /// The link to the asset elsewhere that the server gives.
  func give(_ link: StorageLink?) { state.link.withLock { $0 = link } }

  /// The number of requests for the link.
  var linkRequests: Int { state.linkRequests.withLock(\.self) }

  /// Sends these responses to the next requests, and then the asset again.
  func answer(_ statuses: Status...) { state.answers.withLock { $0 = statuses } }
}
