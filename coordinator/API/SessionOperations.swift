import FarmAPI
import Foundation
import HTTP

/// The request to sign in at the status page.
struct SignIn: Hashable, Codable, Sendable {
  var token: String
}

/// The user of a browser session, if any.
struct SessionStatus: Hashable, Codable, Sendable {
  /// Whether the user has to sign in with a token.
  var needsToken: Bool
  var name: String?
  var role: Role?

  init(_ caller: Caller) {
    needsToken = caller.isStranger
    name = caller.name
    role = caller.isStranger ? nil : caller.role
  }
}

extension Services {
  /// The routes for signing in and out at the status page.
  var sessionOperations: [Operation] {
    [
      Operation(.get, "/session", "Get the current session", for: .anyone) { _, caller in
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
      .answering(.created, "The session; the response sets its cookie", .json(.sessionStatus)),

      Operation(.delete, "/session", "Sign out", for: .anyone) { request, _ in
        access.signOut(request.head)
        return Response(
          .noContent,
          headers: ["Set-Cookie": Self.cookie("", age: 0, isSecure: request.isSecure)])
      }
      .answering(.noContent, "The session has ended"),
    ]
  }

  /// The value of `Set-Cookie`. Scripts cannot read the cookie, and browsers do not send it for other sites' pages.
  private static func cookie(_ value: String, age: Int, isSecure: Bool) -> String {
    "\(Sessions.cookie(isSecure: isSecure))=\(value); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
      + (isSecure ? "; Secure" : "")
  }
}
