import CCurl

/// The reason why a request received no usable response.
public struct ClientError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public let code: Code
  /// The problem, the URL and the reason.
  public let message: String
  /// The message without the request's method and URL, which may contain a secret.
  public let reason: String
  /// The absolute URL of the request.
  public let url: String
  /// The status, if there was a response.
  public let status: Status?
  /// The problem document, if the server sent one.
  public let problem: ProblemDocument?
  /// The reason why the server's certificate was rejected, if it was.
  public let certificateProblem: CertificateProblem?
  /// The system's error number, if a local file could not be read or written.
  public let systemError: Int32?
  /// Whether the server may have received the request, or a part of it.
  public let mayHaveArrived: Bool

  /// The message.
  public var description: String { message }

  /// Creates an error.
  ///
  /// - Parameter reason: the message without the method and the URL; `nil` if it contains neither.
  init(
    _ code: Code, _ message: String, reason: String? = nil, url: String, status: Status? = nil,
    problem: ProblemDocument? = nil, certificateProblem: CertificateProblem? = nil,
    systemError: Int32? = nil, mayHaveArrived: Bool = true
  ) {
    self.systemError = systemError
    self.mayHaveArrived = mayHaveArrived
    self.code = code
    self.message = message
    self.reason = reason ?? message
    self.url = url
    self.status = status
    self.problem = problem
    self.certificateProblem = certificateProblem
  }

  /// Creates an error whose message states the URL after the reason.
  init(_ code: Code, _ reason: String, at url: String, status: Status? = nil) {
    self.init(code, "\(reason): \(url)", reason: reason, url: url, status: status)
  }

  /// Creates the error for a request that failed before its response was complete.
  init(
    _ code: Code, _ reason: String, failing request: ClientRequest, status: Status? = nil,
    certificateProblem: CertificateProblem? = nil, mayHaveArrived: Bool = true
  ) {
    self.init(
      code, "\(request.method) failed: \(request.url): \(reason)", reason: reason,
      url: request.url, status: status, certificateProblem: certificateProblem,
      mayHaveArrived: mayHaveArrived)
  }

  /// Creates the error for a response with an unexpected status.
  init(refusal response: ClientResponse) {
    let problem = response.problem
    let details = problem.map { $0.detail.isEmpty ? $0.title : $0.detail }
    let reason = "\(response.status)" + (details.map { ": \($0)" } ?? "")
    self.init(
      .unexpectedStatus, "the server refused: \(response.url): \(reason)",
      reason: "the server refused: \(reason)", url: response.url, status: response.status,
      problem: problem)
  }
}

/// The reason why a client rejects a server's certificate.
public enum CertificateProblem: Hashable, Sendable {
  /// It has expired.
  case expired
  /// It is not valid yet.
  case notYetValid
  /// It is for other names than the URL's.
  case otherName
  /// No trusted authority signed it, or it is not valid for another reason.
  case untrusted

  /// Interprets the number of OpenSSL (`X509_V_ERR_…`). libcurl checks the name itself, and then leaves the number at 1.
  init(verification number: Int) {
    switch number {
    case 0, 1, 62: self = .otherName
    case 9: self = .notYetValid
    case 10: self = .expired
    default: self = .untrusted
    }
  }
}

extension ClientError {
  /// A kind of failure.
  public struct Code: Hashable, Sendable {
    private enum Kind {
      case couldNotResolve, couldNotConnect, timedOut, connectionLost, handshakeFailed
      case secureConnectionFailed
      case invalidURL, invalidRequest, invalidResponse, responseTooLarge, unexpectedStatus
      case localFile, other
    }

    private let kind: Kind

    /// The host name has no address.
    public static let couldNotResolve = Code(kind: .couldNotResolve)
    /// The host does not accept connections on the port.
    public static let couldNotConnect = Code(kind: .couldNotConnect)
    /// The exchange took too long, or made no progress.
    public static let timedOut = Code(kind: .timedOut)
    /// The connection was lost before the response was complete.
    public static let connectionLost = Code(kind: .connectionLost)
    /// The TLS handshake failed before the server's certificate was checked.
    public static let handshakeFailed = Code(kind: .handshakeFailed)
    /// The server's certificate is not trusted, or the client's own certificate cannot be used.
    public static let secureConnectionFailed = Code(kind: .secureConnectionFailed)
    /// The URL is invalid, or its scheme is neither `http` nor `https`.
    public static let invalidURL = Code(kind: .invalidURL)
    /// The request has a header field that cannot be sent.
    public static let invalidRequest = Code(kind: .invalidRequest)
    /// The response is not HTTP, or its body is not what was expected.
    public static let invalidResponse = Code(kind: .invalidResponse)
    /// The response is larger than the request allows.
    public static let responseTooLarge = Code(kind: .responseTooLarge)
    /// The server answered with an unexpected status.
    public static let unexpectedStatus = Code(kind: .unexpectedStatus)
    /// The file to send or to write could not be opened, read or written.
    public static let localFile = Code(kind: .localFile)
    /// Any other failure. The message describes it.
    public static let other = Code(kind: .other)

    private init(kind: Kind) {
      self.kind = kind
    }

    init(_ result: CURLcode) {
      switch result {
      case CURLE_COULDNT_RESOLVE_HOST: self = .couldNotResolve
      case CURLE_COULDNT_CONNECT: self = .couldNotConnect
      case CURLE_OPERATION_TIMEDOUT: self = .timedOut
      case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE:
        self = .connectionLost
      case CURLE_SSL_CONNECT_ERROR: self = .handshakeFailed
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM:
        self = .secureConnectionFailed
      case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: self = .invalidURL
      case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
        self = .invalidResponse
      default: self = .other
      }
    }
  }
}
