import HTTP

/// The reason why an asset cannot be fetched from its URL.
struct FetchFailure: Error {
  let reason: String
  /// Whether another try may succeed.
  let isPassing: Bool

  init(_ reason: String, isPassing: Bool) {
    self.reason = reason
    self.isPassing = isPassing
  }

  /// Creates a failure from a response with a status other than 200.
  init(_ head: ClientResponse) {
    let status = head.status
    let passing: Set = [408, 425, 429, 500, 502, 503, 504]
    isPassing = passing.contains(status.rawValue)
    guard (300..<400).contains(status.rawValue) else {
      reason = "the server responded with \(status)"
      return
    }
    // The message omits the redirect's target, which may be an address inside the network.
    reason =
      "the server responded with a redirect (\(status)), which is not followed: use the URL of the "
      + "file itself"
  }

  /// Creates a failure from that of a request. The reason omits the URL, which messages name with its secrets removed.
  init(_ error: ClientError) {
    let passing: Set<ClientError.Code> = [.couldNotConnect, .timedOut, .connectionLost, .other]
    isPassing = passing.contains(error.code)
    reason = error.reason
  }
}
