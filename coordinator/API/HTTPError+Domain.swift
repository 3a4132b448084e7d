import FarmAPI
import HTTP

/// The responses to the errors of the farm, the stores, the ledger and the admission of callers.
extension HTTPError {
  /// Returns the response to an error, or the error itself if it has none.
  static func explaining(_ error: any Error) -> any Error {
    switch error {
    case let error as FarmError: HTTPError(error)
    case let error as AccessError: HTTPError(error)
    case let error as UploadError: HTTPError(error)
    case let error as AssetQuotaError:
      HTTPError(.contentTooLarge, type: ProblemType.assetQuota.rawValue, detail: "\(error)")
    case let error as StorageError: HTTPError(error)
    case let error as LedgerError: HTTPError(error)
    case let error as TransitionError: HTTPError(error.cause)
    default: error
    }
  }

  /// Runs `body`, and turns the errors of the coordinator's parts into responses.
  static func explaining<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch { throw explaining(error) }
  }

  /// Runs `body`, and turns the errors of the coordinator's parts into responses.
  static func explaining<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch { throw explaining(error) }
  }

  private init(_ error: FarmError) {
    let (status, type, headers): (Status, ProblemType, Headers) =
      switch error.code {
      case .notFound: (.notFound, .notFound, [:])
      case .wrongState: (.conflict, .wrongState, [:])
      case .outputDeleted: (.gone, .outputDeleted, [:])
      case .limitReached: (.tooManyRequests, .limitReached, Self.later)
      case .keyReused: (.unprocessableContent, .keyReused, [:])
      case .staleLease: (.conflict, .staleLease, [:])
      case .unavailable: (.serviceUnavailable, .unavailable, Self.later)
      case .invalidChunk: (.unprocessableContent, .invalidChunk, [:])
      case .damagedChunk: (.unprocessableContent, .damagedChunk, [:])
      default: (.internalServerError, .unavailable, [:])
      }
    self.init(status, type: type.rawValue, detail: error.message, headers: headers)
  }

  private init(_ error: AccessError) {
    let (status, type, headers): (Status, ProblemType, Headers) =
      switch error.code {
      case .unauthorized:
        (.unauthorized, .unauthorized, ["WWW-Authenticate": "Bearer realm=\"sheaf\""])
      case .clientLimit: (.tooManyRequests, .limitReached, Self.later)
      case .slotsTaken: (.serviceUnavailable, .limitReached, Self.later)
      default: (.forbidden, .forbidden, [:])
      }
    self.init(status, type: type.rawValue, detail: error.message, headers: headers)
  }

  private init(_ error: UploadError) {
    var headers: Headers = [:]
    if let offset = error.offset { headers["Upload-Offset"] = String(offset) }
    if error.code == .inProgress { headers["Retry-After"] = "1" }
    let (status, type): (Status, ProblemType) =
      switch error.code {
      case .inProgress: (.conflict, .uploadInProgress)
      case .offset: (.conflict, .uploadOffset)
      case .tooLarge: (.contentTooLarge, .tooLarge)
      default: (.unprocessableContent, .invalidChunk)
      }
    self.init(status, type: type.rawValue, detail: error.message, headers: headers)
  }

  private init(_ error: LedgerError) {
    self.init(
      .serviceUnavailable, type: ProblemType.unavailable.rawValue,
      detail: "the ledger cannot be used: \(PublicMessage.withoutPlaces(error.message))",
      headers: Self.later)
  }

  private init(_ error: StorageError) {
    let status: Status =
      switch error.code {
      case .full: .insufficientStorage
      case .inUse, .owned, .unavailable, .unreadable: .serviceUnavailable
      default: .internalServerError
      }
    self.init(
      status, type: ProblemType.unavailable.rawValue,
      detail: PublicMessage.withoutPlaces(error.message))
  }

  private static let later: Headers = ["Retry-After": "5"]
}

extension HTTPError {
  static func bodyTooLarge(_ what: String, limit: Int) -> HTTPError {
    HTTPError(
      .contentTooLarge, type: ProblemType.tooLarge.rawValue,
      detail: "\(what) has more than \(limit) bytes")
  }
}

/// A sink whose errors become responses.
final class ExplainingSink<Sink: BodySink>: BodySink {
  /// The sink that receives the bytes.
  let sink: Sink

  init(_ sink: Sink) { self.sink = sink }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    try HTTPError.explaining { try sink.write(bytes) }
  }

  func abandon() { sink.abandon() }
}
