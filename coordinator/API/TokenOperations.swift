import FarmAPI
import Foundation
import HTTP

/// A token as the API lists it.
struct TokenStatus: Codable, Sendable {
  var id: String
  /// The role of its holder.
  var role: Role
  /// The name of its holder.
  var name: String
  /// When it was created.
  var createdAt: Date
  /// When it was revoked; `nil` if it is active.
  var revokedAt: Date?

  init(_ record: TokenRecord) {
    id = record.id
    role = record.role
    name = record.name
    createdAt = record.createdAt
    revokedAt = record.revokedAt
  }
}

/// The body of `POST /tokens`.
struct NewToken: Codable, Sendable {
  /// The role of its holder.
  var role: Role
  /// The name of its holder: 1 to 64 letters, digits, dots, dashes and underscores.
  var name: String
}

/// The response to `POST /tokens`.
struct CreatedToken: Codable, Sendable {
  var id: String
  /// The role of its holder.
  var role: Role
  /// The name of its holder.
  var name: String
  /// When it was created.
  var createdAt: Date
  /// The token itself, which is not shown again.
  var token: String

  init(_ record: TokenRecord, _ token: String) {
    id = record.id
    role = record.role
    name = record.name
    createdAt = record.createdAt
    self.token = token
  }
}

extension Services {
  /// The routes of tokens, for admins.
  var tokenOperations: [Operation] {
    [
      Operation(.get, "/api/v1/tokens", "List the tokens, oldest first", for: .admins) { _, _ in
        let records = try await threads.run { [tokens] in try tokens.records() }
        return try .wire(records.map(TokenStatus.init))
      }
      .answering(.ok, "The tokens, including revoked ones", .list(.tokenStatus)),

      Operation(
        .post, "/api/v1/tokens", "Create a token, which is shown only once", for: .admins
      ) { request, caller in
        try checkTokens(caller)
        let new: NewToken = try request.wire()
        guard TokenRecord.isValid(name: new.name) else {
          throw HTTPError(
            .badRequest, type: ProblemType.malformedRequest.rawValue,
            detail: "name must have 1 to 64 letters, digits, dots, dashes and underscores, and "
              + "begin with a letter or digit")
        }
        // A coordinator that takes over must know the token, so the ledger gets it before the request succeeds.
        let (token, record) = try await threads.run { [tokens, exchange] in
          let created = try tokens.create(role: new.role, name: new.name, at: Date())
          do { try exchange?.merge() } catch {
            // Nobody will have this token.
            _ = try? tokens.revoke(id: created.record.id, at: Date())
            throw error
          }
          return created
        }
        await farm.note("token \(record.id): \(new.role.rawValue) \(new.name) created", by: caller)
        return try .wire(CreatedToken(record, token), status: .created)
      }
      .taking(.json(.newToken))
      .answering(.created, "The token", .json(.createdToken))
      .refusing(.conflict, .wrongState),

      Operation(.delete, "/api/v1/tokens/{id}", "Revoke a token", for: .admins) {
        request, caller in
        try checkTokens(caller)
        let id = try request.parameter("id")
        if let confirmed = request.query["confirm"], confirmed != "self" {
          throw HTTPError(
            .badRequest, type: ProblemType.malformedRequest.rawValue,
            detail: "confirm '\(confirmed)' must be self")
        }
        guard caller.token != id || request.query["confirm"] == "self" else {
          throw FarmError(
            .wrongState,
            "token \(id) is the one that you are using: to revoke it nevertheless, add "
              + "?confirm=self to the request")
        }
        let found = try await threads.run { [tokens, exchange] in
          let record = try tokens.revoke(id: id, at: Date())
          try exchange?.merge()
          return record
        }
        guard let record = found else { throw FarmError.notFound("token", id) }
        await farm.note(
          "token \(record.id): \(record.role.rawValue) \(record.name) revoked", by: caller)
        return Response(.noContent)
      }
      .with(
        Operation.Parameter(
          name: "confirm", place: "query",
          summary: "`self` to revoke the token of the request itself",
          schema: ["type": "string", "enum": ["self"]], isRequired: false)
      )
      .answering(.noContent, "The token is revoked").refusing(.notFound, .notFound)
      .refusing(.conflict, .wrongState),
    ]
  }

  /// Rejects changes by callers without a token. Every process of the coordinator's host is such a caller if it serves
  /// only this host, and a token would outlast that.
  private func checkTokens(_ caller: Caller) throws {
    guard caller.token == nil else { return }
    throw FarmError(
      .wrongState,
      "this coordinator needs no tokens, because only its own host can reach it: to change its "
        + "tokens, use `sheaf-coordinator token`")
  }
}
