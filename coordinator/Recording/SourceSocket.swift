import FarmAPI
import Glibc
import HTTP

/// Opens the sockets and devices of recordings. Calls block.
enum SourceSocket {
  /// The size of the kernel's buffer for datagrams that have not been read, in bytes.
  private static let bufferSize: Int32 = 8 << 20
  /// How often a wait checks whether it should end, in milliseconds.
  private static let pause: Int32 = 100

  /// Opens a source. If its sender opens a TCP connection, waits for that.
  ///
  /// - Parameter isWanted: called repeatedly while waiting; if it returns `false`, the wait ends.
  /// - Returns: the descriptor, or that of each device, which the caller must close; `nil` if the source is no longer
  ///   wanted.
  /// - Throws: ``JobError`` with code `source-unreachable`.
  static func open(
    _ source: RecordingSource, while isWanted: () -> Bool
  ) throws(JobError) -> [Int32]? {
    switch source.transport {
    case .udp: [try receiver(source)]
    case .tcp, .rtsp: [try connection(to: source)]
    case .tcpListen, .rtmpListen: try sender(to: source, while: isWanted).map { [$0] }
    case .srt: [try caller(of: source)]
    case .srtListen: [try receiver(source)]
    case .devices: try open(source.devices)
    case .upload, .https, .http: nil
    }
  }

  private static func open(_ devices: [CaptureDevice]) throws(JobError) -> [Int32] {
    var descriptors: [Int32] = []
    for device in devices {
      do throws(JobError) {
        descriptors.append(try device.open())
      } catch {
        for descriptor in descriptors { close(descriptor) }
        throw error
      }
    }
    return descriptors
  }

  private static func failure(_ source: RecordingSource, _ reason: String) -> JobError {
    let remedy =
      source.transport.connects
      ? "check the address, and that the sender listens there"
      : "check that this is a numeric address of the coordinator's host, and that the port is free"
    return JobError(
      .sourceUnreachable, "cannot open the source: \(source): \(reason): \(remedy)")
  }

  private static func systemFailure(_ source: RecordingSource) -> JobError {
    failure(source, String(cString: strerror(errno)))
  }

  /// Creates a socket for each address of the source's host, until `use` succeeds with one.
  private static func socket(
    _ source: RecordingSource, _ type: __socket_type,
    _ use: (Int32, UnsafeMutablePointer<addrinfo>) -> Bool
  ) throws(JobError) -> Int32 {
    var hints = addrinfo()
    hints.ai_socktype = Int32(type.rawValue)
    hints.ai_flags = AI_NUMERICSERV | (source.transport.connects ? 0 : AI_NUMERICHOST)
    var found: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(source.host, "\(source.port)", &hints, &found)
    guard status == 0 else { throw failure(source, String(cString: gai_strerror(status))) }
    defer { freeaddrinfo(found) }
    var next = found
    while let address = next {
      let descriptor = Glibc.socket(
        address.pointee.ai_family,
        address.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), address.pointee.ai_protocol)
      if descriptor >= 0 {
        if use(descriptor, address) {
          // The reader must not block if a wait reports bytes that are then missing. libsrt waits by receiving, so its
          // socket blocks.
          if source.transport.usesSRT {
            limitWaits(of: descriptor)
          } else {
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
          }
          return descriptor
        }
        let number = errno
        close(descriptor)
        errno = number
      }
      next = address.pointee.ai_next
    }
    throw systemFailure(source)
  }

  private static func set(_ option: Int32, _ value: Int32, of descriptor: Int32) {
    var value = value
    setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Limits how long libsrt waits for a datagram before it checks its timers, the shortest of which takes 10 ms. In
  /// its sandbox, libsrt cannot set this limit itself.
  private static func limitWaits(of descriptor: Int32) {
    var limit = timeval(tv_sec: 0, tv_usec: 5000)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  /// A bound socket for datagrams, which has joined the group if the address is one.
  private static func receiver(_ source: RecordingSource) throws(JobError) -> Int32 {
    try socket(source, SOCK_DGRAM) { descriptor, address in
      enlargeBuffer(of: descriptor)
      let isMulticast = isMulticast(address)
      if isMulticast { set(SO_REUSEADDR, 1, of: descriptor) }
      guard bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 else {
        return false
      }
      return !isMulticast || join(descriptor, address)
    }
  }

  /// Enlarges the kernel's buffer. Without a privilege, the system's limit applies.
  private static func enlargeBuffer(of descriptor: Int32) {
    set(SO_RCVBUF, bufferSize, of: descriptor)
    set(SO_RCVBUFFORCE, bufferSize, of: descriptor)
  }

  /// A socket for datagrams that is connected to a server.
  private static func caller(of source: RecordingSource) throws(JobError) -> Int32 {
    try socket(source, SOCK_DGRAM) { descriptor, address in
      enlargeBuffer(of: descriptor)
      return connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0
    }
  }

  private static func isMulticast(_ address: UnsafeMutablePointer<addrinfo>) -> Bool {
    guard let pointer = address.pointee.ai_addr else { return false }
    let raw = UnsafeRawPointer(pointer)
    switch address.pointee.ai_family {
    case AF_INET:
      return raw.load(as: sockaddr_in.self).sin_addr.s_addr.bigEndian >> 28 == 0xE
    case AF_INET6:
      return withUnsafeBytes(of: raw.load(as: sockaddr_in6.self).sin6_addr) { $0[0] == 0xFF }
    default: return false
    }
  }

  private static func join(
    _ descriptor: Int32, _ address: UnsafeMutablePointer<addrinfo>
  ) -> Bool {
    guard let pointer = address.pointee.ai_addr else { return false }
    let raw = UnsafeRawPointer(pointer)
    if address.pointee.ai_family == AF_INET {
      var request = ip_mreq(
        imr_multiaddr: raw.load(as: sockaddr_in.self).sin_addr, imr_interface: in_addr(s_addr: 0))
      return setsockopt(
        descriptor, Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, &request,
        socklen_t(MemoryLayout<ip_mreq>.size)) == 0
    }
    let group = raw.load(as: sockaddr_in6.self)
    var request = ipv6_mreq(
      ipv6mr_multiaddr: group.sin6_addr, ipv6mr_interface: group.sin6_scope_id)
    return setsockopt(
      descriptor, Int32(IPPROTO_IPV6), IPV6_JOIN_GROUP, &request,
      socklen_t(MemoryLayout<ipv6_mreq>.size)) == 0
  }

  private static func connection(to source: RecordingSource) throws(JobError) -> Int32 {
    try socket(source, SOCK_STREAM) { descriptor, address in
      // The limit for sending also limits `connect`.
      var limit = timeval(tv_sec: 5, tv_usec: 0)
      setsockopt(
        descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      noticeDeath(of: descriptor)
      return connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0
    }
  }

  /// Makes the kernel end a connection whose peer lost its power or its network: after 10 s without a byte, it sends up
  /// to four probes, 5 s apart.
  private static func noticeDeath(of connection: Int32) {
    set(SO_KEEPALIVE, 1, of: connection)
    for (option, value) in [(TCP_KEEPIDLE, 10), (TCP_KEEPINTVL, 5), (TCP_KEEPCNT, 4)]
      as [(Int32, Int32)]
    {
      var value = value
      setsockopt(
        connection, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  /// Waits for a sender.
  private static func sender(
    to source: RecordingSource, while isWanted: () -> Bool
  ) throws(JobError) -> Int32? {
    let listener: ListeningSocket
    do {
      listener = try ListeningSocket(address: source.host, port: source.port)
    } catch {
      // The error states the remedy for a port or an address that cannot be used.
      throw JobError(.sourceUnreachable, "cannot open the source: \(source): \(error)")
    }
    while isWanted() {
      var poller = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&poller, 1, pause) > 0 else { continue }
      let accepted = accept(listener.descriptor, nil, nil)
      if accepted >= 0 {
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        _ = fcntl(accepted, F_SETFL, fcntl(accepted, F_GETFL) | O_NONBLOCK)
        noticeDeath(of: accepted)
        return accepted
      }
      guard [EINTR, EAGAIN, ECONNABORTED].contains(errno) else { throw systemFailure(source) }
    }
    return nil
  }
}
