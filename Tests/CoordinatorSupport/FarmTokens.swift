import Foundation
import HTTP
import sheaf_coordinator

/// The tokens of a test's farm, one for each role.
package struct FarmTokens: Sendable {
  package let submitter, worker, admin: String

  /// Adds the tokens to those in the data directory `data`.
  package init(data: String) throws {
    func make(_ role: Role, _ name: String) throws -> String {
      let (token, record) = TokenRecord.make(role: role, name: name, at: Date())
      try TokenFile(data: data).update { $0.append(record) }
      return token
    }
    submitter = try make(.submitter, "anna")
    worker = try make(.worker, "rack")
    admin = try make(.admin, "root")
  }

  /// The token of the role that calls a route.
  package func token(for method: HTTP.Method, _ path: String) -> String {
    let isAdministration =
      method == .get ? path == "/api/v1/workers" : path.hasSuffix("/drain")
    if isAdministration { return admin }
    if path.hasPrefix("/api/v1/workers") || path.hasPrefix("/api/v1/leases") { return worker }
    return path.hasPrefix("/api/") ? submitter : admin
  }
}
