import Crypto
import Foundation
import HTTP
import Synchronization

/// Reads and writes the objects of a bucket. Failures that may pass are retried for some seconds.
///
/// Every call blocks, and may come from any thread.
public final class ObjectClient: Sendable {
  /// The bucket.
  public let bucket: Bucket
  private let keys: KeySource
  private let client: Client
  /// For requests that the store may take long to answer.
  private let patientClient: Client
  private let pause: @Sendable (Duration) -> Void
  private let date: @Sendable () -> Date
  /// The time until which no request is sent, because the store did not respond to the last one.
  private let pausedUntil = Mutex<ContinuousClock.Instant?>(nil)

  /// The multipart uploads that this client is sending.
  let runningUploads = Mutex<Set<String>>([])

  /// The number of times that a request is sent.
  private static let tries = 6
  private static let firstPause = Duration.milliseconds(100)
  private static let longestPause = Duration.seconds(2)
  /// How long requests fail at once after the store did not respond, so that callers do not wait one after the other.
  private static let outage = Duration.seconds(5)

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - authorityFile: the authorities that sign the store's certificate, in PEM; `nil` for the system's.
  ///   - pause: how the calling thread waits between tries.
  public init(
    _ bucket: Bucket, keys: KeySource, authorityFile: String? = nil,
    pause: @escaping @Sendable (Duration) -> Void = { duration in
      Thread.sleep(forTimeInterval: duration / .seconds(1))
    },
    date: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.bucket = bucket
    self.keys = keys
    self.pause = pause
    self.date = date
    let credentials = Credentials(authorityFile: authorityFile)
    client = Client(
      credentials: credentials, connectTimeout: .seconds(5), stallTimeout: .seconds(20))
    patientClient = Client(
      credentials: credentials, connectTimeout: .seconds(5), stallTimeout: .seconds(300))
  }

  /// A client for the same store, and another part of its bucket.
  public func with(_ bucket: Bucket) -> ObjectClient { ObjectClient(self, bucket) }

  private init(_ other: ObjectClient, _ bucket: Bucket) {
    self.bucket = bucket
    (keys, client, patientClient) = (other.keys, other.client, other.patientClient)
    (pause, date) = (other.pause, other.date)
  }

  /// A request without its signature.
  struct Operation {
    /// The failure in words, before the object's name: `cannot read`.
    let action: String
    let method: HTTP.Method
    /// The key after the bucket's prefix; `nil` for the bucket.
    var key: String?
    var query: [String: String] = [:]
    var headers: [String: String] = [:]
    var body = Body.none
    /// The path of the file for the content.
    var destination: String?
    /// Whether the store may take long to answer.
    var isLong = false
    /// The evidence that a success must contain, because some stores and proxies report errors with the status 200.
    var proof = Proof.noBody
    /// Whether the request may be sent. Asked before each try.
    var isAllowed: () -> Bool = { true }
  }

  /// The evidence that a request succeeded.
  enum Proof {
    /// No body.
    case noBody
    /// The object's tag in the head.
    case tag
    /// The object's tag and length in the head.
    case object
    /// A document with this root.
    case document(String)
    /// A document whose root has a child with this name.
    case element(String)

    fileprivate func isIn(_ response: ClientResponse) -> Bool {
      switch self {
      case .noBody: response.body.isEmpty
      case .tag: ErrorReport(response.body) == nil && response.headers["ETag"] != nil
      case .object:
        response.headers["ETag"] != nil && response.headers["Content-Length"] != nil
      case .element(let name):
        (try? XMLElement.read(response.body)).flatMap { $0[name] } != nil
      case .document(let root): (try? XMLElement.read(response.body))?.name == root
      }
    }
  }

  enum Body {
    case none
    case data(Data)
    /// A part of a file, with its SHA-256.
    case file(String, offset: Int64, length: Int64, Digest)

    fileprivate var digest: Digest {
      switch self {
      case .none: Digest.of([])
      case .data(let data): Digest.of(data)
      case .file(_, _, _, let digest): digest
      }
    }
  }

  /// Sends a request until it is answered, and returns the answer.
  ///
  /// - Throws: ``S3Error``.
  func send(_ operation: Operation) throws(S3Error) -> ClientResponse {
    let subject = "\(bucket)" + (operation.key.map { "/\($0)" } ?? "")
    let action = "\(operation.action) \(subject)"
    if let end = pausedUntil.withLock(\.self), end > .now {
      throw S3Error(
        .unavailable, "\(action): the store is not responding; the next request is sent in seconds")
    }
    var rejected: AccessKey?
    var next = Self.firstPause
    for attempt in 1... {
      let key = try keys.current(otherThan: rejected)
      guard operation.isAllowed() else {
        throw S3Error(.unavailable, "\(action): another coordinator may have taken over")
      }
      let error: S3Error
      var isSilence = false
      do throws(ClientError) {
        let response = try exchange(operation, key)
        if response.status.isSuccess, operation.proof.isIn(response) { return response }
        error = S3Error(response, action)
      } catch let failure {
        error = S3Error(failure, action)
        isSilence = true
      }
      if error.isAboutKey, rejected == nil {
        rejected = key
        continue
      }
      guard error.code == .unavailable, !error.isNotFound, attempt < Self.tries else {
        if isSilence, error.code == .unavailable {
          pausedUntil.withLock { $0 = .now + Self.outage }
        }
        throw error
      }
      pause(next * Double.random(in: 0.5...1))
      next = min(next * 2, Self.longestPause)
    }
    preconditionFailure("the last try returns or throws")
  }

  private func exchange(
    _ operation: Operation, _ key: AccessKey
  ) throws(ClientError) -> ClientResponse {
    let unsigned = Signer.Unsigned(
      method: operation.method, host: bucket.host, path: bucket.path(of: operation.key),
      query: operation.query, headers: operation.headers)
    let signer = Signer(key, region: bucket.region, at: date())
    let headers = signer.headers(for: unsigned, payload: operation.body.digest)
    var request = ClientRequest(
      operation.method, bucket.url(of: operation.key, query: operation.query),
      headers: Headers(headers))
    if let path = operation.destination { return try client.downloadAndWait(request, to: path) }
    switch operation.body {
    case .none: break
    case .data(let data): request.body = data
    case .file(let path, let offset, let length, _):
      return try client.uploadAndWait(request, file: path, offset: offset, length: length)
    }
    if operation.isLong { return try patientClient.sendAndWait(request) }
    request.timeout = .seconds(30)
    return try client.sendAndWait(request)
  }

  /// A request with which anyone can read an object for a limited time: its URL and its header fields.
  ///
  /// - Parameter seconds: the number of seconds for which it is valid.
  /// - Throws: ``S3Error`` if there is no access key.
  public func link(
    toGet key: String, lasting seconds: Int
  ) throws(S3Error) -> (url: String, headers: [String: String]) {
    (try link(.get, key, headers: [:], lasting: seconds), [:])
  }

  /// A request with which anyone can store certain bytes as an object for a limited time: its URL and its header fields.
  ///
  /// - Parameters:
  ///   - digest: the SHA-256 of the bytes. Some stores compare it.
  ///   - byteCount: their number.
  ///   - seconds: the number of seconds for which it is valid.
  /// - Throws: ``S3Error`` if there is no access key.
  public func link(
    toPut key: String, _ digest: Digest, byteCount: Int64, lasting seconds: Int
  ) throws(S3Error) -> (url: String, headers: [String: String]) {
    let checksum = ["x-amz-checksum-sha256": Data(digest.bytes).base64EncodedString()]
    let length = ["content-length": "\(byteCount)"]
    let url = try link(
      .put, key, headers: checksum.merging(length) { first, _ in first }, lasting: seconds)
    // Whoever sends the request states the length in any case.
    return (url, checksum)
  }

  private func link(
    _ method: HTTP.Method, _ key: String, headers: [String: String], lasting seconds: Int
  ) throws(S3Error) -> String {
    let unsigned = Signer.Unsigned(
      method: method, host: bucket.host, path: bucket.path(of: key), headers: headers)
    let signer = Signer(try keys.current(), region: bucket.region, at: date())
    return bucket.url(of: key) + "?" + signer.query(for: unsigned, lasting: seconds)
  }
}

extension Bucket {
  /// The URL of the bucket, or of an object in it.
  func url(of key: String?, query: [String: String] = [:]) -> String {
    endpoint + path(of: key) + (query.isEmpty ? "" : "?\(Signer.encode(query))")
  }
}
