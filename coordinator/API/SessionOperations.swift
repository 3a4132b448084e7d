import FarmAPI
import Foundation
import HTTP

/// The request of the page to sign in.
struct SignIn: Hashable, Codable, Sendable {
  /// The token.
  var token: String
}

/// Whether someone is signed in, and who.
struct SessionStatus: Hashable, Codable, Sendable {
  /// Whether a token is needed before anything is shown.
  var needsToken: Bool
  /// The token's name.
  var name: String?
  /// The token's role.
  var role: Role?

  init(_ caller: Caller) {
    needsToken = caller.isStranger
    name = caller.name
    role = caller.isStranger ? nil : caller.role
  }
}

extension Services {
  /// The routes by which the page signs in.
  var sessionOperations: [Operation] {
    [
      Operation(.get, "/session", "Who is signed in", for: .anyone) { _, caller in
        try .wire(SessionStatus(caller), headers: ["Cache-Control": "no-store"])
      }
      .answering(.ok, "The session", .json(.sessionStatus)),

      Operation(.post, "/session", "Sign in with a token", for: .anyone) { request, _ in
        let signIn: SignIn = try request.wire()
        let (session, caller) = try access.signIn(with: signIn.token)
        return try .wire(
          SessionStatus(caller), status: .created,
          headers: [
            "Set-Cookie": Self.cookie(
              session, age: Int(Sessions.lifetime), isSecure: request.isSecure),
            "Cache-Control": "no-store",
          ])
      }
      .taking(.json(.signIn))
      .answering(.created, "The session, whose cookie is set", .json(.sessionStatus))
      .refusing(.badRequest, .malformedRequest),

      Operation(.delete, "/session", "Sign out", for: .anyone) { request, _ in
        access.signOut(request.head)
        return Response(
          .noContent,
          headers: ["Set-Cookie": Self.cookie("", age: 0, isSecure: request.isSecure)])
      }
      .answering(.noContent, "The session is over"),
    ]
  }

  /// No script sees the cookie, and no other site's page makes a browser send it.
  private static func cookie(_ value: String, age: Int, isSecure: Bool) -> String {
    "\(Sessions.cookie(isSecure: isSecure))=\(value); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
      + (isSecure ? "; Secure" : "")
  }
}
