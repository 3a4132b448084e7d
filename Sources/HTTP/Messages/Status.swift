/// A response status.
public struct Status: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The three-digit code.
  public let rawValue: Int

  /// Creates the status with the code `rawValue`.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Whether the request succeeded (2xx).
  public var isSuccess: Bool { (200..<300).contains(rawValue) }

  /// Whether a response with this status has no body by definition.
  var forbidsBody: Bool { rawValue < 200 || self == .noContent || self == .notModified }

  /// Orders by code.
  public static func < (left: Status, right: Status) -> Bool { left.rawValue < right.rawValue }

  /// 200
  public static let ok = Status(rawValue: 200)
  /// 201
  public static let created = Status(rawValue: 201)
  /// 202
  public static let accepted = Status(rawValue: 202)
  /// 204
  public static let noContent = Status(rawValue: 204)
  /// 206
  public static let partialContent = Status(rawValue: 206)
  /// 304
  public static let notModified = Status(rawValue: 304)
  /// 400
  public static let badRequest = Status(rawValue: 400)
  /// 401
  public static let unauthorized = Status(rawValue: 401)
  /// 403
  public static let forbidden = Status(rawValue: 403)
  /// 404
  public static let notFound = Status(rawValue: 404)
  /// 405
  public static let methodNotAllowed = Status(rawValue: 405)
  /// 408
  public static let requestTimeout = Status(rawValue: 408)
  /// 409
  public static let conflict = Status(rawValue: 409)
  /// 410
  public static let gone = Status(rawValue: 410)
  /// 411
  public static let lengthRequired = Status(rawValue: 411)
  /// 413
  public static let contentTooLarge = Status(rawValue: 413)
  /// 414
  public static let uriTooLong = Status(rawValue: 414)
  /// 415
  public static let unsupportedMediaType = Status(rawValue: 415)
  /// 416
  public static let rangeNotSatisfiable = Status(rawValue: 416)
  /// 421: the request is for another host.
  public static let misdirectedRequest = Status(rawValue: 421)
  /// 422
  public static let unprocessableContent = Status(rawValue: 422)
  /// 429
  public static let tooManyRequests = Status(rawValue: 429)
  /// 431
  public static let headerFieldsTooLarge = Status(rawValue: 431)
  /// 500
  public static let internalServerError = Status(rawValue: 500)
  /// 503
  public static let serviceUnavailable = Status(rawValue: 503)
  /// 507
  public static let insufficientStorage = Status(rawValue: 507)

  /// Whether the same request may succeed later.
  public var isPassing: Bool {
    rawValue >= 500 || self == .requestTimeout || self == .tooManyRequests
  }

  /// The code and its phrase, such as `404 Not Found`.
  public var description: String { "\(rawValue) \(phrase)" }

  /// The reason phrase in the registry of HTTP status codes, or `Unknown Status` for other codes.
  public var phrase: String {
    Self.phrases[rawValue] ?? "Unknown Status"
  }

  private static let phrases: [Int: String] = [
    100: "Continue", 101: "Switching Protocols",
    200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information",
    204: "No Content", 205: "Reset Content", 206: "Partial Content",
    300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other",
    304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
    407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
    411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
    414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
    417: "Expectation Failed", 421: "Misdirected Request", 422: "Unprocessable Content",
    423: "Locked", 424: "Failed Dependency", 425: "Too Early", 426: "Upgrade Required",
    428: "Precondition Required", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    506: "Variant Also Negotiates", 507: "Insufficient Storage", 508: "Loop Detected",
    511: "Network Authentication Required",
  ]
}
