/// The addresses to which a request is sent: one after another until a connection opens, each at most once.
///
/// Once a request may have reached a server, it is not sent again. Its caller decides whether to repeat it.
struct ServerRoute {
  private let request: ClientRequest
  private let servers: ServerAddresses
  private let settings: Transfer.Settings
  /// The addresses that have not failed, the next one first. For an absolute URL, an empty string.
  private var addresses: ArraySlice<String>
  private var failures: [ClientError] = []

  /// Plans a request. A URL that begins with a slash follows an address of the servers.
  init(_ request: ClientRequest, to servers: ServerAddresses, with settings: Transfer.Settings) {
    self.request = request
    self.servers = servers
    self.settings = settings
    let addresses = request.url.hasPrefix("/") ? servers.fromCurrent : []
    self.addresses = addresses.isEmpty ? [""] : addresses[...]
  }

  /// The request to the next address, with the settings for its transfer.
  ///
  /// - Parameter elapsed: the part of the request's time limit that has passed.
  func leg(after elapsed: Duration) -> (request: ClientRequest, settings: Transfer.Settings) {
    var (request, settings) = (request, settings)
    request.url = (addresses.first ?? "") + request.url
    guard let timeout = request.timeout else { return (request, settings) }
    let rest = max(.milliseconds(1), timeout - elapsed)
    request.timeout = rest
    // A host that does not respond must leave time for the other addresses.
    if addresses.count > 1 {
      settings.connectTimeout = min(settings.connectTimeout, rest / addresses.count)
    }
    return (request, settings)
  }

  /// Records a response.
  func received(_ response: ClientResponse) {
    guard let address = addresses.first, Self.isGateway(response.status, response.problem) else {
      return
    }
    servers.leave(address)
  }

  /// Records a failure.
  ///
  /// - Throws: the error of the request, unless it can be sent to another address.
  mutating func goOn(after error: ClientError) throws(ClientError) {
    guard let address = addresses.popFirst(), Self.concernsServer(error) else { throw error }
    servers.leave(address)
    guard !error.mayHaveArrived else { throw error }
    failures.append(error)
    if addresses.isEmpty { throw ClientError(failures, last: error) }
  }

  /// Whether the server may have caused the failure, so that another one should be used.
  private static func concernsServer(_ error: ClientError) -> Bool {
    switch error.code {
    case .localFile, .invalidURL, .invalidRequest, .responseTooLarge: false
    case .unexpectedStatus: error.status.map { isGateway($0, error.problem) } ?? false
    default: true
    }
  }

  /// Whether a proxy reports that it cannot reach its server. If a server refuses a request itself, it sends a problem
  /// type.
  private static func isGateway(_ status: Status, _ problem: ProblemDocument?) -> Bool {
    let isUntyped = problem.map { $0.type == "about:blank" } ?? true
    return isUntyped && [502, 503, 504].contains(status.rawValue)
  }
}

extension ClientError {
  /// Creates the error of a request for which no address could be reached.
  fileprivate init(_ failures: [ClientError], last: ClientError) {
    guard let first = failures.first, failures.count > 1 else {
      self = last
      return
    }
    let isSame = failures.allSatisfy { $0.code == first.code }
    self.init(
      isSame ? first.code : .couldNotConnect,
      ([first.message] + failures.dropFirst().map { "\($0.url): \($0.reason)" })
        .joined(separator: "; "),
      reason: failures.map(\.reason).joined(separator: "; "), url: first.url,
      certificateProblem: isSame ? first.certificateProblem : nil, mayHaveArrived: false)
  }
}
