import Foundation
import Synchronization

/// A link between a worker and the coordinator that fails when it is told to: a TCP proxy on the loopback interface.
final class FaultyLink: Sendable {
  /// What happens to the next upload of a chunk.
  enum UploadFault: Sendable {
    case truncate, corrupt
  }

  private struct State {
    var target: UInt16
    var isCut = false
    var isStalled = false
    var uploadFault: UploadFault?
    var uploadFaults: [UploadFault: Int] = [:]
    var lastUpload: Data?
    var connections: [Weak] = []
  }

  private struct Weak {
    weak var connection: LinkedConnection?
  }

  private let listener: Int32
  private let state: Mutex<State>
  /// The port that workers connect to.
  let port: UInt16

  /// A link to the coordinator at a port.
  init(to target: UInt16) throws {
    state = Mutex(State(target: target))
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.listener = listener
    var address = Self.loopback(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    let thread = Thread { [self] in accept() }
    thread.name = "link"
    thread.start()
  }

  /// The coordinator listens elsewhere now.
  func retarget(to port: UInt16) { state.withLock { $0.target = port } }

  /// Closes every connection, and refuses new ones while it is cut.
  func setCut(_ isCut: Bool) {
    state.withLock { $0.isCut = isCut }
    if isCut { closeAll() }
  }

  /// Passes nothing while it is stalled; nobody is told.
  func setStalled(_ isStalled: Bool) { state.withLock { $0.isStalled = isStalled } }

  /// Spoils the next upload of a chunk.
  func spoilNextUpload(_ fault: UploadFault) { state.withLock { $0.uploadFault = fault } }

  /// Whether a connection is open over it.
  var isUsed: Bool { state.withLock { $0.connections.contains { $0.connection != nil } } }

  /// How many uploads were spoilt, by how.
  var uploadFaults: [UploadFault: Int] { state.withLock { $0.uploadFaults } }

  /// The last whole upload of a chunk, head and body.
  var lastUpload: Data? { state.withLock { $0.lastUpload } }

  /// Ends the link for good.
  func close() {
    shutdown(listener, Int32(SHUT_RDWR))
    setCut(true)
  }

  // For its connections.

  var isStalled: Bool { state.withLock { $0.isStalled } }

  func takeUploadFault() -> UploadFault? {
    state.withLock { state in
      guard let fault = state.uploadFault else { return nil }
      state.uploadFault = nil
      state.uploadFaults[fault, default: 0] += 1
      return fault
    }
  }

  func keep(_ upload: Data) { state.withLock { $0.lastUpload = upload } }

  private func closeAll() {
    let open = state.withLock { state in
      defer { state.connections = [] }
      return state.connections
    }
    for link in open { link.connection?.breakOff() }
  }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      if client < 0 {
        if errno == EINTR || errno == ECONNABORTED { continue }
        Glibc.close(listener)
        return
      }
      // So that no process that starts meanwhile holds it open.
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      let (target, isCut) = state.withLock { ($0.target, $0.isCut) }
      guard !isCut, let server = Self.connect(to: target) else {
        Glibc.close(client)
        continue
      }
      let connection = LinkedConnection(client: client, server: server, link: self)
      state.withLock { state in
        state.connections.removeAll { $0.connection == nil }
        state.connections.append(Weak(connection: connection))
      }
      connection.start()
    }
  }

  /// A connection to a port of this host.
  static func connect(to port: UInt16) -> Int32? {
    let descriptor = socket(
      AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = loopback(port)
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if isConnected { return descriptor }
    Glibc.close(descriptor)
    return nil
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
