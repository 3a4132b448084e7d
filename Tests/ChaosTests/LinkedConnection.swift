import Foundation

/// One connection over a link: two sockets, and a thread for each way.
final class LinkedConnection: Sendable {
  private let client: Int32
  private let server: Int32
  private let link: FaultyLink

  init(client: Int32, server: Int32, link: FaultyLink) {
    self.client = client
    self.server = server
    self.link = link
  }

  // Both threads hold the connection, so the sockets close when both have ended.
  deinit {
    close(client)
    close(server)
  }

  func start() {
    for isUpload in [true, false] {
      let thread = Thread { [self] in pass(isUpload: isUpload) }
      thread.name = isUpload ? "to coordinator" : "to worker"
      thread.start()
    }
  }

  /// Ends both ways at once.
  func breakOff() {
    shutdown(client, Int32(SHUT_RDWR))
    shutdown(server, Int32(SHUT_RDWR))
  }

  private func pass(isUpload: Bool) {
    let (source, sink) = isUpload ? (client, server) : (server, client)
    var upload = UploadWatch()
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = recv(source, &bytes, bytes.count, 0)
      if count < 0 && errno == EINTR { continue }
      while link.isStalled { usleep(20_000) }
      guard count > 0 else { break }
      var data = Data(bytes[0..<count])
      var goesOn = true
      if isUpload { goesOn = upload.look(at: &data, link) }
      guard Self.send(data, to: sink), goesOn else { break }
    }
    breakOff()
  }

  /// Sends all of it, or says that the connection is gone.
  static func send(_ data: Data, to socket: Int32) -> Bool {
    data.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = Glibc.send(
          socket, bytes.baseAddress?.advanced(by: sent), bytes.count - sent,
          Int32(MSG_NOSIGNAL))
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }
}

/// Finds uploads of chunks in what a worker sends, keeps them, and spoils them where the link is to.
private struct UploadWatch {
  private var record = Data()
  private var bodyLeft = 0
  private var fault: FaultyLink.UploadFault?

  /// Looks at the next bytes, and changes them where they are to be spoilt; `false` when the connection is lost here.
  mutating func look(at data: inout Data, _ link: FaultyLink) -> Bool {
    var body = data.startIndex
    if bodyLeft == 0 {
      guard let head = Self.chunkHead(data) else { return true }
      (body, bodyLeft) = head
      record = Data()
      fault = link.takeUploadFault()
    }
    record += data
    let count = min(bodyLeft, data.endIndex - body)
    bodyLeft -= count
    if bodyLeft == 0 { link.keep(record) }
    guard count > 0, let fault else { return true }
    self.fault = nil
    switch fault {
    case .corrupt:
      data[body + count / 2] ^= 0x10
      return true
    case .truncate:
      data = data.prefix(upTo: body + count / 2)
      return false
    }
  }

  /// Where the body begins and how long it is, if this is the head of an upload.
  private static func chunkHead(_ data: Data) -> (body: Int, length: Int)? {
    guard data.starts(with: Data("PUT /api/v1/leases/".utf8)),
      let end = data.range(of: Data("\r\n\r\n".utf8))
    else { return nil }
    let lines = String(decoding: data[..<end.lowerBound], as: UTF8.self)
      .components(separatedBy: "\r\n")
    guard lines[0].contains("/chunk "),
      let field = lines.first(where: { $0.lowercased().hasPrefix("content-length:") }),
      let length = Int(field.dropFirst("content-length:".count).filter { $0.isNumber })
    else { return nil }
    return (end.upperBound, length)
  }
}
