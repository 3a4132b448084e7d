import Glibc

/// An attempt to set an option of an inherited socket.
enum SocketOption: String {
  case buffer = "buffer"
  case keptBuffer = "kept buffer"
  case keptBroadcast = "kept broadcast"

  init?(_ name: String) { self.init(rawValue: name) }

  /// Makes the attempt.
  ///
  /// - Returns: 0 if it seems to succeed without an effect, 199 if it has one, or the error number.
  func attempt(on socket: Int32) -> Int32 {
    let option = self == .keptBroadcast ? SO_BROADCAST : SO_RCVBUF
    let before = value(of: option, of: socket)
    var wanted: Int32 = 4096
    let size = socklen_t(MemoryLayout<Int32>.size)
    guard setsockopt(socket, SOL_SOCKET, option, &wanted, size) == 0 else { return errno }
    return value(of: option, of: socket) == before ? 0 : 199
  }

  private func value(of option: Int32, of socket: Int32) -> Int32 {
    var (value, size) = (Int32(-1), socklen_t(MemoryLayout<Int32>.size))
    return getsockopt(socket, SOL_SOCKET, option, &value, &size) == 0 ? value : -1
  }
}
