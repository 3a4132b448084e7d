import HTTP
import Timeline

/// The reason why a URL gives no asset.
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
    // The message omits the redirect's target, which may be an address inside the network.
    reason =
      "the server redirects (\(status)), and redirects are not followed: give the URL of the file "
      + "itself"
  }

  /// Creates a failure from an error of the request.
  init(_ error: ClientError, at url: AssetURL) {
    let passing: Set<ClientError.Code> = [.couldNotConnect, .timedOut, .connectionLost, .other]
    isPassing = passing.contains(error.code)
    reason = error.message.replacing("GET failed: \(url): ", with: "")
  }
}
