import Foundation
import HTTP
import Synchronization
import Testing
import sheaf_coordinator

/// The statuses and media types of responses in `/openapi.json`. Every response to a test's request is compared with it.
struct DescribedAPI {
  private typealias Object = [String: Any]

  /// The media types of each response by route (`GET /api/v1/jobs/{id}`) and status.
  private let responses: [String: [Int: Set<String>]]
  private let paths: [(segments: [Substring], path: String)]

  /// The description, which is the same for every coordinator.
  private static let shared = Mutex<DescribedAPI?>(nil)

  /// Records an issue if the response to a request is not described.
  static func check(
    _ response: Response, to method: HTTP.Method, _ target: String, of router: Router
  ) async throws {
    if shared.withLock({ $0 == nil }) {
      let document = await router.respond(
        to: try Request(.get, "/openapi.json", headers: ["Host": "localhost"]))
      let content = try await document.content()
      if document.status == .ok {
        let description = try DescribedAPI(content)
        shared.withLock { $0 = description }
      }
    }
    guard let problem = shared.withLock({ $0?.problem(with: response, to: method, target) }) else {
      return
    }
    Issue.record("\(problem)")
  }

  /// Reads a description.
  init(_ document: Data) throws {
    let root = try #require(try JSONSerialization.jsonObject(with: document) as? Object)
    let common = (root["components"] as? Object)?["responses"] as? Object ?? [:]
    var responses: [String: [Int: Set<String>]] = [:]
    for (path, operations) in root["paths"] as? [String: [String: Object]] ?? [:] {
      for (method, operation) in operations {
        for (status, response) in operation["responses"] as? [String: Object] ?? [:] {
          let name = (response["$ref"] as? String)?.split(separator: "/").last.map(String.init)
          let described = name.flatMap { common[$0] as? Object } ?? response
          responses["\(method.uppercased()) \(path)", default: [:]][Int(status) ?? 0] =
            Set((described["content"] as? Object ?? [:]).keys)
        }
      }
    }
    self.responses = responses
    // Literal segments precede parameters.
    paths = (root["paths"] as? Object ?? [:]).keys
      .map { ($0.split(separator: "/"), $0) }
      .sorted { left, right in
        left.path.count { $0 == "{" } < right.path.count { $0 == "{" }
      }
  }

  /// The difference between a response and the description, if any.
  func problem(with response: Response, to method: HTTP.Method, _ target: String) -> String? {
    let segments = target.prefix { $0 != "?" }.split(separator: "/")
    let found = paths.first { path in
      path.segments.count == segments.count
        && zip(path.segments, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
    guard let found, let statuses = responses["\(method.rawValue) \(found.path)"] else {
      return nil
    }
    let route = "\(method.rawValue) \(found.path)"
    guard let types = statuses[response.status.rawValue] else {
      return "\(route) responded with \(response.status), which /openapi.json does not describe"
    }
    guard method != .head, let type = response.headers["Content-Type"] else { return nil }
    let name = String(type.prefix { $0 != ";" })
    return types.contains(name)
      ? nil
      : "\(route) responded with \(response.status) and \(name), which /openapi.json does not describe"
  }
}
