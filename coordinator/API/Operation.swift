import FarmAPI
import Foundation
import HTTP
import Timeline

/// A route: its description and its handler.
///
/// Both the router and `openapi.json` are built from the list of operations, so they cannot disagree.
struct Operation: Sendable {
  /// The content of a body.
  enum Content: Sendable {
    /// A wire type as JSON.
    case json(Schema)
    /// A list of a wire type as JSON.
    case list(Schema)
    /// Binary data of one of these media types.
    case bytes([String])
    /// A JSON object that is not a wire type.
    case object
    /// Server-sent events of these kinds, whose data are wire types as JSON.
    case events([EventKind])
    /// Text of a media type.
    case text(String)

    /// Bytes of any kind.
    static let octets = Content.bytes(["application/octet-stream"])
    /// A finished file.
    static let media = Content.bytes(
      Set(
        FileType.allCases.flatMap {
          [$0.contentType(hasVideo: true), $0.contentType(hasVideo: false)]
        }
      )
      .sorted())
  }

  /// A response that is not a problem.
  struct Answer: Sendable {
    let status: Status
    let summary: String
    var content: Content?
    /// The headers that clients need, by name.
    var headers: [String: JSON] = [:]
  }

  /// A header or query parameter.
  struct Parameter: Sendable {
    let name: String
    let place: String
    let summary: String
    var schema: JSON = ["type": "string"]
    var isRequired = true
  }

  let method: HTTP.Method
  let path: String
  let summary: String
  /// The callers that the route admits.
  let audience: Audience
  var parameters: [Parameter] = []
  var input: Content?
  var answers: [Answer] = []
  var problems: [(status: Status, type: ProblemType)] = []
  /// Identifies the caller of a request, and throws if the route does not admit that caller.
  typealias Admission = @Sendable (RequestHead) throws -> Caller

  /// Adds the route to a router, with the size limit in bytes of a body that is held in memory.
  private let register: @Sendable (inout Router, Limits, Int, @escaping Admission) -> Void

  /// Creates a route that holds the body in memory.
  init(
    _ method: HTTP.Method, _ path: String, _ summary: String, for audience: Audience,
    _ handler: @escaping @Sendable (Request, Caller) async throws -> Response
  ) {
    self.method = method
    self.path = path
    self.summary = summary
    self.audience = audience
    register = { router, limits, bodyLimit, admit in
      router.on(method, path, bodyLimit: bodyLimit, admit: { _ = try admit($0) }) { request in
        // Checked again, because the token may have been revoked while the body arrived.
        let caller = try admit(request.head)
        try Self.checkDigest(of: request)
        try JSONDepth.check(request.body, limit: limits.jsonDepth)
        return try await HTTPError.explaining { try await handler(request, caller).keptPrivate }
      }
    }
  }

  /// Creates a route that processes the body as it arrives.
  init<Sink: BodySink>(
    _ method: HTTP.Method, _ path: String, _ summary: String, for audience: Audience,
    open: @escaping @Sendable (RequestHead, Caller) async throws -> Sink,
    _ handler: @escaping @Sendable (RequestHead, Caller, Sink) async throws -> Response
  ) {
    self.method = method
    self.path = path
    self.summary = summary
    self.audience = audience
    register = { router, _, _, admit in
      router.upload(
        method, path, admit: { _ = try admit($0) },
        open: { head in
          let caller = try admit(head)
          return try await HTTPError.explaining { ExplainingSink(try await open(head, caller)) }
        },
        { head, sink in
          let caller: Caller
          do {
            caller = try admit(head)
          } catch {
            sink.abandon()
            throw error
          }
          return try await HTTPError.explaining {
            try await handler(head, caller, sink.sink).keptPrivate
          }
        })
    }
  }

  /// Adds the route to a router, and guards it by its audience.
  func add(to router: inout Router, guardedBy access: Access, within limits: Limits) {
    register(&router, limits, bodyLimit(within: limits)) { [audience, takesJSON] head in
      if takesJSON { try Self.checkMediaType(head) }
      return try HTTPError.explaining { try access.admit(head, to: audience) }
    }
  }

  /// The size limit in bytes of a body that is held in memory.
  ///
  /// Clients without a token can send only a small body, which is enough to sign in. Routes without content accept a
  /// small body, because some clients send `{}` with every `POST`.
  private func bodyLimit(within limits: Limits) -> Int {
    if input == nil { return Self.unusedBodyBytes }
    return audience.includesStrangers
      ? min(Self.strangersBodyBytes, limits.bodyBytes) : limits.bodyBytes
  }

  /// The size limit of a body from a client without a token: 4 KiB.
  private static let strangersBodyBytes = 4 << 10
  /// The size limit of a body that the route does not use: 1 KiB.
  private static let unusedBodyBytes = 1 << 10

  var takesJSON: Bool {
    if case .json = input { true } else { false }
  }

  /// Rejects a body that is declared to be something other than JSON. Any web page can send a form to any server, but
  /// not JSON.
  private static func checkMediaType(_ head: RequestHead) throws(HTTPError) {
    guard let type = head.headers["Content-Type"] else { return }
    let name = type.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
    guard name == "application/json" else {
      throw HTTPError(
        .unsupportedMediaType, type: ProblemType.mediaType.rawValue,
        detail: "\(head.path) accepts application/json, not \(type)")
    }
  }

  /// Rejects a body that does not match its `Content-Digest`.
  private static func checkDigest(of request: Request) throws(HTTPError) {
    guard let digest = request.headers[ContentDigest.headerName],
      !ContentDigest.holds(digest, for: request.body)
    else { return }
    throw .damagedRequest
  }

  /// Sets the content of the request, and adds parameters.
  func taking(_ content: Content, _ parameters: Parameter...) -> Operation {
    var operation = self
    operation.input = content
    operation.parameters += parameters
    return operation
  }

  /// Adds a parameter.
  func with(_ parameter: Parameter) -> Operation {
    var operation = self
    operation.parameters.append(parameter)
    return operation
  }

  /// Adds a response.
  func answering(
    _ status: Status, _ summary: String, _ content: Content? = nil, headers: [String: JSON] = [:]
  ) -> Operation {
    var operation = self
    operation.answers.append(
      Answer(status: status, summary: summary, content: content, headers: headers))
    return operation
  }

  /// Adds an error response.
  func refusing(_ status: Status, _ type: ProblemType) -> Operation {
    var operation = self
    operation.problems.append((status, type))
    return operation
  }
}

extension HTTPError {
  /// The error for a body that does not match its `Content-Digest`.
  static let damagedRequest = HTTPError(
    .badRequest, type: ProblemType.damagedRequest.rawValue,
    detail: "the body does not match its Content-Digest: it was damaged in transit: send it again")
}

extension Request {
  /// Decodes the body as a wire type.
  func wire<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    do {
      return try json(type, decoder: decoder)
    } catch {
      throw HTTPError(
        error.status, type: ProblemType.malformedRequest.rawValue, detail: error.problem.detail)
    }
  }
}

extension Response {
  /// The response with headers that keep it out of shared caches and prevent browsers from guessing its type.
  fileprivate var keptPrivate: Response {
    var response = self
    response.headers["X-Content-Type-Options"] = "nosniff"
    if response.headers["Cache-Control"] == nil {
      // A response with a tag may be cached by its receiver, but must be revalidated.
      response.headers["Cache-Control"] =
        response.headers["ETag"] == nil ? "no-store" : "private, no-cache"
    }
    return response
  }

  /// Creates a response with a wire type as JSON.
  static func wire(
    _ value: some Encodable, status: Status = .ok, headers: Headers = [:]
  ) throws -> Response {
    .wire(data: try FarmCoding.encode(value), status: status, headers: headers)
  }

  /// Creates a response with the JSON of a wire type and its `Content-Digest`.
  static func wire(data: Data, status: Status = .ok, headers: Headers = [:]) -> Response {
    var headers = headers
    headers[ContentDigest.headerName] = ContentDigest.value(for: data)
    return .json(data: data, status: status, headers: headers)
  }
}
