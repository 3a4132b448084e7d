import Foundation
import HTTP

/// The reason why a request to an object store failed.
public struct S3Error: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Hashable, Sendable {
    private enum Kind { case unavailable, refused, invalidName, missing, localFile }
    private let kind: Kind
    /// The store cannot be reached, is overloaded or answers with something that is not S3. A later try may succeed.
    public static let unavailable = Code(kind: .unavailable)
    /// The store rejects the request. It may accept it later, for example once the bucket's policy is corrected.
    public static let refused = Code(kind: .refused)
    /// The name of the bucket, the prefix or the region is invalid.
    public static let invalidName = Code(kind: .invalidName)
    /// The object or the upload does not exist.
    public static let missing = Code(kind: .missing)
    /// The file to send or to write could not be read or written.
    public static let localFile = Code(kind: .localFile)
  }

  /// The kind of failure.
  public let code: Code
  /// The problem and, if there is one, the remedy.
  public let message: String
  /// The store's code, such as `NoSuchKey`; `nil` if it did not send one.
  public let storeCode: String?
  /// The status of the response; `nil` if there was none.
  let status: Status?
  /// The system's error number, if a local file could not be read or written.
  public let systemError: Int32?

  /// The message.
  public var description: String { message }

  /// Creates an error with a message.
  public init(_ code: Code, _ message: String) {
    self.init(code, message, storeCode: nil)
  }

  init(
    _ code: Code, _ message: String, storeCode: String?, status: Status? = nil,
    systemError: Int32? = nil
  ) {
    (self.code, self.message, self.storeCode) = (code, message, storeCode)
    (self.status, self.systemError) = (status, systemError)
  }

  /// Creates the error for a file that cannot be read.
  init(reading path: String, _ number: Int32) {
    self.init(
      .localFile, "cannot read: \(path): \(String(cString: strerror(number)))", storeCode: nil,
      systemError: number)
  }

  /// Whether the store answered with 404 and without a reason.
  var isNotFound: Bool { status == .notFound && storeCode == nil || code == .missing }

  /// Creates the error for an exchange that failed.
  init(_ error: ClientError, _ action: String) {
    self.init(
      error.code == .localFile ? .localFile : .unavailable, "\(action): \(error.reason)",
      storeCode: nil, systemError: error.systemError)
  }

  /// Creates the error for a response that is not a success, or that reports an error in its body.
  init(_ response: ClientResponse, _ action: String) {
    let report = ErrorReport(response.body)
    let reason =
      report.map { $0.message.isEmpty ? $0.code : "\($0.code): \($0.message.prefix(200))" }
      ?? "\(response.status), which is not the answer of an S3 store: check --store-endpoint"
    let code: Code =
      if let report {
        if Self.missingCodes.contains(report.code) {
          .missing
        } else if Self.passingCodes.contains(report.code) || response.status.isPassing
          || response.status.isSuccess
        {
          .unavailable
        } else {
          .refused
        }
      } else {
        response.status == .forbidden || response.status == .unauthorized ? .refused : .unavailable
      }
    let remedy = report.flatMap { Self.remedies[$0.code] }
    self.init(
      code, "\(action): the store answered \(reason)" + (remedy.map { ": \($0)" } ?? ""),
      storeCode: report?.code, status: response.status)
  }

  private static let missingCodes: Set = ["NoSuchKey", "NoSuchUpload"]
  private static let passingCodes: Set = [
    "SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout", "OperationAborted",
    "BadDigest", "IncompleteBody", "XAmzContentSHA256Mismatch", "Throttling", "ThrottlingException",
    "RequestLimitExceeded",
  ]
  private static let remedies = [
    "AccessDenied": "check the policies of the access key and of the bucket",
    "AuthorizationHeaderMalformed": "check --store-region",
    "InvalidAccessKeyId": "check --store-key-file or AWS_ACCESS_KEY_ID",
    "NoSuchBucket": "check the bucket's name: --store",
    "PermanentRedirect": "check --store-region and --store-endpoint",
    "RequestTimeTooSkewed": "this host's clock and the store's differ: synchronize them",
    "SignatureDoesNotMatch": "check the secret access key",
  ]

  /// Whether the store rejected the request without a reason.
  var isUnexplained: Bool {
    storeCode == nil && (status == .badRequest || status == .unauthorized || status == .forbidden)
  }

  /// Whether a newer access key may help.
  var isAboutKey: Bool {
    ["ExpiredToken", "TokenRefreshRequired", "InvalidToken", "InvalidAccessKeyId"].contains(
      storeCode)
  }
}

/// The error in the body of a response.
struct ErrorReport: Hashable {
  let code: String
  let message: String

  /// Reads a body; `nil` if it is not an error.
  init?(_ body: Data) {
    guard let root = try? XMLElement.read(body), root.name == "Error", let code = root["Code"]
    else {
      return nil
    }
    self.code = code
    message = root["Message"] ?? ""
  }
}
