import CCurl
import Foundation

/// One exchange on one easy handle: the options of the request, and the callbacks for libcurl.
///
/// `@unchecked`: only one thread uses it at a time. The thread that creates it passes it through a mutex to the thread
/// that performs it, which never passes it on.
final class Transfer: @unchecked Sendable {
  let handle: EasyHandle
  private let request: ClientRequest
  private let source: FileSource?
  private let receiver: any ResponseReceiver
  private var status: Status?
  private var headers = Headers()
  private var hasBegun = false
  /// Whether libcurl has started to send the request.
  private var isSent = false
  /// The first error of a callback. libcurl reports only that the callback failed.
  private var failure: (any Error)?

  /// The settings of a client for its transfers.
  struct Settings: Hashable, Sendable {
    var userAgent: String
    var credentials: Credentials
    var connectTimeout: Duration
    var stallTimeout: Duration
    var slowestRate: Int
  }

  /// Configures `handle` for `request`.
  ///
  /// - Parameter source: the file to send instead of the request's body.
  init(
    _ request: ClientRequest, on handle: EasyHandle, settings: Settings, source: FileSource? = nil,
    receiver: any ResponseReceiver
  ) throws(ClientError) {
    self.handle = handle
    self.request = request
    self.source = source
    self.receiver = receiver
    handle.reset()
    configure(settings)
    try setHeaders(settings.credentials.token)
    setBody()
  }

  /// Returns the response after libcurl has finished with `result`, or throws the reason why there is none.
  func finish(_ result: CURLcode) throws -> ClientResponse {
    if let failure { throw failure }
    guard result == CURLE_OK else { throw error(for: result) }
    guard let status else {
      throw ClientError(.invalidResponse, "there was no response", at: request.url)
    }
    try begin(status)
    let body = try receiver.finish()
    var response = ClientResponse(url: request.url, status: status, headers: headers, body: body)
    if request.wantsCertificate { response.certificate = ServerCertificate(of: handle) }
    return response
  }

  private func error(for result: CURLcode) -> ClientError {
    if result == CURLE_ABORTED_BY_CALLBACK, isSent {
      return ClientError(
        .connectionLost, "the connection was closed before the response", failing: request)
    }
    var code = ClientError.Code(result)
    // libcurl also reports this for a response that is not HTTP.
    if code == .invalidURL, isSent { code = .invalidResponse }
    // The connect time cannot tell, because it is zero on a reused connection.
    if code == .timedOut, sheaf_curl_number(handle.pointer, CURLINFO_REQUEST_SIZE) == 0 {
      code = .couldNotConnect
    }
    return ClientError(
      code, handle.reason(for: result), failing: request, status: status,
      certificateProblem: result == CURLE_PEER_FAILED_VERIFICATION
        ? CertificateProblem(
          verification: sheaf_curl_number(handle.pointer, CURLINFO_SSL_VERIFYRESULT))
        : nil, mayHaveArrived: isSent)
  }

  /// Passes the final head to the receiver, once.
  private func begin(_ status: Status) throws {
    guard !hasBegun else { return }
    hasBegun = true
    try receiver.begin(
      ClientResponse(url: request.url, status: status, headers: headers, body: Data()))
  }
}

// MARK: - The request

extension Transfer {
  private func configure(_ settings: Settings) {
    handle.set(CURLOPT_URL, request.url)
    handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
    handle.set(CURLOPT_FOLLOWLOCATION, 0)
    handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    handle.set(CURLOPT_NOSIGNAL, 1)
    // The programs of a farm must not use a proxy from the environment, least of all on loopback.
    handle.set(CURLOPT_PROXY, "")
    handle.set(CURLOPT_USERAGENT, settings.userAgent)
    let credentials = settings.credentials
    if let file = credentials.authorityFile {
      handle.set(CURLOPT_CAINFO, file)
      handle.set(CURLOPT_CAPATH, "/dev/null")
    }
    if let file = credentials.certificateFile { handle.set(CURLOPT_SSLCERT, file) }
    if let file = credentials.keyFile { handle.set(CURLOPT_SSLKEY, file) }
    handle.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    handle.set(CURLOPT_CONNECTTIMEOUT_MS, settings.connectTimeout.milliseconds)
    handle.set(CURLOPT_LOW_SPEED_LIMIT, settings.slowestRate)
    handle.set(
      CURLOPT_LOW_SPEED_TIME, max(1, Int(settings.stallTimeout.components.seconds)))
    if let timeout = request.timeout { handle.set(CURLOPT_TIMEOUT_MS, timeout.milliseconds) }
    handle.set(CURLOPT_BUFFERSIZE, 256 << 10)
    if request.wantsCertificate { handle.set(CURLOPT_CERTINFO, 1) }
    let context = Unmanaged.passUnretained(self).toOpaque()
    handle.set(CURLOPT_HEADERDATA, to: context)
    sheaf_curl_set_data_function(handle.pointer, CURLOPT_HEADERFUNCTION, Self.receiveHeader)
    handle.set(CURLOPT_WRITEDATA, to: context)
    sheaf_curl_set_data_function(handle.pointer, CURLOPT_WRITEFUNCTION, Self.receiveBody)
    handle.set(CURLOPT_PREREQDATA, to: context)
    sheaf_curl_set_request_function(handle.pointer, Self.beginRequest)
    if let pin = request.pin { follow(pin, context) }
  }

  /// Restricts the transfer to a host's known addresses, both in name resolution and again when the socket is created.
  private func follow(_ pin: PinnedHost, _ context: UnsafeMutableRawPointer) {
    if let line = pin.resolveLine { handle.set(resolveLine: line) }
    handle.set(CURLOPT_OPENSOCKETDATA, to: context)
    sheaf_curl_set_socket_function(handle.pointer, Self.openSocket)
    // An open connection was created for another request, perhaps to another address.
    handle.set(CURLOPT_FRESH_CONNECT, 1)
    handle.set(CURLOPT_FORBID_REUSE, 1)
  }

  private func setHeaders(_ token: BearerToken?) throws(ClientError) {
    var lines: [String] = []
    for field in request.headers.fields {
      guard !field.name.isEmpty, (field.name + field.value).utf8.allSatisfy({ $0 >= 32 || $0 == 9 })
      else {
        throw ClientError(
          .invalidRequest, "cannot send the header field '\(field.name)'", at: request.url)
      }
      lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    if let token, request.headers["Authorization"] == nil {
      lines.append("Authorization: Bearer \(token.value)")
    }
    if request.headers["Content-Type"] == nil { lines.append("Content-Type:") }
    // For a client that states no preference, a proxy may request gzip and decompress the response, which has lost its
    // Content-Digest by then.
    if request.headers["Accept-Encoding"] == nil { lines.append("Accept-Encoding: identity") }
    handle.set(headerLines: lines)
  }

  private func setBody() {
    if let source {
      let context = Unmanaged.passUnretained(self).toOpaque()
      handle.set(CURLOPT_UPLOAD, 1)
      handle.set(CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
      handle.set(CURLOPT_INFILESIZE_LARGE, size: source.length)
      handle.set(CURLOPT_READDATA, to: context)
      sheaf_curl_set_data_function(handle.pointer, CURLOPT_READFUNCTION, Self.sendBody)
      handle.set(CURLOPT_SEEKDATA, to: context)
      sheaf_curl_set_seek_function(handle.pointer, Self.seekBody)
      handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    } else if request.method == .head {
      handle.set(CURLOPT_NOBODY, 1)
    } else if let body = request.body {
      handle.set(body: body)
      handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    } else if request.method == .post || request.method == .put || request.method == .patch {
      handle.set(body: Data())
      handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    } else if request.method != .get {
      handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }
  }
}

// MARK: - Callbacks

extension Transfer {
  private static func transfer(at context: UnsafeMutableRawPointer?) -> Transfer? {
    context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Allows a request to be sent only once. Otherwise libcurl sends it again by itself if a reused connection turns out
  /// to be dead, although the server may have received the request and acted on it.
  private static let beginRequest: sheaf_curl_request_function = { context, _, _, _, _ in
    guard let transfer = transfer(at: context), !transfer.isSent else {
      return CURL_PREREQFUNC_ABORT
    }
    transfer.isSent = true
    return CURL_PREREQFUNC_OK
  }

  private static let receiveHeader: sheaf_curl_data_function = { bytes, size, count, context in
    guard let bytes, let transfer = transfer(at: context) else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    transfer.receive(headerLine: String(decoding: line, as: UTF8.self))
    return size * count
  }

  private static let receiveBody: sheaf_curl_data_function = { bytes, size, count, context in
    guard let bytes, let transfer = transfer(at: context), let status = transfer.status else {
      return 0
    }
    do {
      try transfer.begin(status)
      try transfer.receiver.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
      return size * count
    } catch {
      transfer.failure = error
      return size * count + 1  // any other count ends the transfer
    }
  }

  private static let sendBody: sheaf_curl_data_function = { bytes, size, count, context in
    guard let bytes, let transfer = transfer(at: context), let source = transfer.source else {
      return Int(CURL_READFUNC_ABORT)
    }
    do {
      return try source.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    } catch {
      transfer.failure = error
      return Int(CURL_READFUNC_ABORT)
    }
  }

  private static let seekBody: sheaf_curl_seek_function = { context, offset, origin in
    guard origin == SEEK_SET, let source = transfer(at: context)?.source else {
      return CURL_SEEKFUNC_CANTSEEK
    }
    source.seek(to: Int64(offset))
    return CURL_SEEKFUNC_OK
  }

  private static let openSocket: sheaf_curl_socket_function = { context, _, address in
    guard let address, let pin = transfer(at: context)?.request.pin,
      let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr)
    else { return CURL_SOCKET_BAD }
    // An IPv6 address is longer than its declared type.
    let start = UnsafeRawPointer(address) + offset
    guard let found = InternetAddress(start.assumingMemoryBound(to: sockaddr.self)),
      pin.addresses.contains(found)
    else { return CURL_SOCKET_BAD }
    let kind = address.pointee
    return socket(kind.family, kind.socktype | Int32(SOCK_CLOEXEC.rawValue), kind.`protocol`)
  }

  /// Receives a line of the head. The head of the final response replaces that of an interim response.
  private func receive(headerLine line: String) {
    let line = line[...].trimmed
    if line.hasPrefix("HTTP/") {
      let code = line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
      status = code.map { Status(rawValue: $0) }
      headers = Headers()
    } else if let colon = line.firstIndex(of: ":") {
      let value = line[line.index(after: colon)...].trimmed
      headers.add(String(line[..<colon]), String(value))
    }
  }
}

extension Duration {
  /// The duration in whole milliseconds, at least 1.
  fileprivate var milliseconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }
}
