import CSRT

/// A socket of libsrt. Only ``wait(for:milliseconds:)`` blocks.
final class SRTSocket {
  let handle: SRTSOCKET
  private let poller: Int32

  /// Starts libsrt and its threads. It logs only critical errors, because anyone can send it invalid datagrams, and
  /// would otherwise fill the log.
  private static let isStarted: Bool = {
    srt_setloglevel(2)  // LOG_CRIT
    return srt_startup() >= 0
  }()

  /// Creates a socket for a live stream.
  convenience init() throws(SRTError) {
    guard Self.isStarted else { throw SRTError(.failed, "libsrt cannot start") }
    let handle = srt_create_socket()
    guard handle != SRT_INVALID_SOCK else { throw .last }
    try self.init(taking: handle)
    try set(SRTO_RCVSYN, 0)
  }

  /// Takes ownership of a socket.
  init(taking handle: SRTSOCKET) throws(SRTError) {
    self.handle = handle
    poller = srt_epoll_create()
    guard poller >= 0 else { throw .last }
  }

  /// Ends the connection, if there is one, and tells the other end.
  deinit {
    srt_close(handle)
    if poller >= 0 { srt_epoll_release(poller) }
  }

  func set(_ option: SRT_SOCKOPT, _ value: Int32) throws(SRTError) {
    var value = value
    guard srt_setsockflag(handle, option, &value, Int32(MemoryLayout<Int32>.size)) == 0 else {
      throw .last
    }
  }

  func set(_ option: SRT_SOCKOPT, _ text: String) throws(SRTError) {
    let bytes = Array(text.utf8)
    guard srt_setsockflag(handle, option, bytes, Int32(bytes.count)) == 0 else { throw .last }
  }

  /// The value of an option; 0 if it has none.
  func value(of option: SRT_SOCKOPT) -> Int {
    var (value, size) = (Int32(0), Int32(MemoryLayout<Int32>.size))
    return srt_getsockflag(handle, option, &value, &size) == 0 ? Int(value) : 0
  }

  /// How long bytes are held back, so that lost ones can be retransmitted in time.
  var latency: Duration { .milliseconds(value(of: SRTO_RCVLATENCY)) }

  /// The next connection of a listening socket; `nil` if there is none.
  func accept() throws(SRTError) -> SRTSocket? {
    let accepted = srt_accept(handle, nil, nil)
    guard accepted == SRT_INVALID_SOCK else { return try SRTSocket(taking: accepted) }
    guard srt_getlasterror(nil) == SRT_EASYNCRCV.rawValue else { throw .last }
    return nil
  }

  /// Waits up to a time limit until one of the events has happened or the socket can no longer be used.
  ///
  /// - Returns: whether that is so; `false` at the time limit.
  func wait(for events: SRT_EPOLL_OPT..., milliseconds: Int) -> Bool {
    // libsrt reports no event for a socket that was already broken when the wait began.
    guard
      ![SRTS_BROKEN, SRTS_CLOSING, SRTS_CLOSED, SRTS_NONEXIST].contains(srt_getsockstate(handle))
    else { return true }
    var wanted = Int32(bitPattern: events.reduce(SRT_EPOLL_ERR.rawValue) { $0 | $1.rawValue })
    guard srt_epoll_update_usock(poller, handle, &wanted) == 0 else { return true }
    var happened = SRT_EPOLL_EVENT()
    return srt_epoll_uwait(poller, &happened, 1, Int64(milliseconds)) > 0
  }
}
