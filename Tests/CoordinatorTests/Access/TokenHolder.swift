import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import sheaf_coordinator

/// Somebody with a token of a test's coordinator.
struct TokenHolder {
  let farm: TestFarm
  let token: String
  let id: String

  init(_ role: Role, _ name: String, of farm: TestFarm) throws {
    self.farm = farm
    let (token, record) = TokenRecord.make(role: role, name: name, at: Date())
    try Self.file(of: farm).update { $0.append(record) }
    self.token = token
    id = record.id
  }

  static func file(of farm: TestFarm) -> TokenFile { TokenFile(data: farm.directory.path("data")) }

  /// Revokes the token.
  func revoke() throws {
    try Self.file(of: farm).update { records in
      for index in records.indices where records[index].id == id {
        records[index].revokedAt = Date(timeIntervalSince1970: 1_000_000_000)
      }
    }
  }

  func send(
    _ method: HTTP.Method, _ path: String, headers: Headers = [:], body: Data = Data()
  ) async throws -> Response {
    var headers = headers
    headers["Authorization"] = "Bearer \(token)"
    return try await farm.send(method, path, headers: headers, body: body)
  }

  /// Uploads an asset whole.
  func upload(_ bytes: Data) async throws -> Response {
    try await send(.put, "/assets/\(Digest.of(bytes))", body: bytes)
  }

  /// Submits a project whose one asset is said to be `asset`.
  func submit(_ asset: AssetReference) async throws -> Response {
    try await send(
      .post, "/jobs",
      body: FarmCoding.encode(
        JobSubmission(name: "cut", project: TestFarm.project, assets: ["a.mp4": asset])))
  }
}
