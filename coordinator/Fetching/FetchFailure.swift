import HTTP
import Timeline

/// Why a URL gives no asset.
struct FetchFailure: Error {
  let reason: String
  /// Whether it may give one a little later.
  let isPassing: Bool

  init(_ reason: String, isPassing: Bool) {
    self.reason = reason
    self.isPassing = isPassing
  }

  /// A response other than 200.
  init(_ head: ClientResponse) {
    let status = head.status
    let passing: Set = [408, 425, 429, 500, 502, 503, 504]
    isPassing = passing.contains(status.rawValue)
    guard (300..<400).contains(status.rawValue) else {
      reason = "the server answers \(status)"
      return
    }
    let target = head.headers["Location"].flatMap { try? AssetURL($0) }
    reason =
      "the server redirects (\(status))\(target.map { " to \($0.shown)" } ?? ""): redirects are not "
      + "followed: give the URL that the file is at"
  }

  /// What kept a request from its response.
  init(_ error: ClientError, at url: AssetURL) {
    let passing: Set<ClientError.Code> = [.couldNotConnect, .timedOut, .connectionLost, .other]
    isPassing = passing.contains(error.code)
    reason = error.message.replacing("GET failed: \(url): ", with: "")
  }
}
