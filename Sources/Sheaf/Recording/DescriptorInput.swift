import Foundation
import Media

/// Receives a live source from a connected socket, a bound datagram socket, a pipe or a file.
final class DescriptorInput: LiveInput {
  private let descriptor: Int32
  private let name: String
  let isDatagram: Bool
  let delay = Duration.zero
  let format = LiveContainer.transportStream
  private var isClosed = false

  /// Takes ownership of a descriptor.
  ///
  /// - Parameter name: the source's name in errors.
  init(taking descriptor: Int32, named name: String) {
    self.descriptor = descriptor
    self.name = name
    var type: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    isDatagram =
      getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0
      && type == Int32(SOCK_DGRAM.rawValue)
  }

  deinit { close() }

  /// Waits for bytes.
  ///
  /// - Throws: `MediaError` with code `readFailed`.
  func receive(
    into buffer: UnsafeMutableRawBufferPointer, within milliseconds: Int
  ) throws -> LiveBytes {
    guard !isClosed else { return .ended }
    var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let ready = poll(&poller, 1, Int32(milliseconds))
    guard ready != 0 else { return .nothing }
    let count =
      ready < 0 ? -1 : Foundation.read(descriptor, buffer.baseAddress, buffer.count)
    if count > 0 { return .bytes(count) }
    if count == 0 { return isDatagram ? .bytes(0) : .ended }
    switch errno {
    case EINTR, EAGAIN: return .bytes(0)
    // A sender of datagrams that went away, or a peer that reset the connection.
    case ECONNREFUSED: return .bytes(0)
    case ECONNRESET: return .ended
    default:
      throw MediaError(.readFailed, "cannot read the source", on: name, systemError: errno)
    }
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    Foundation.close(descriptor)
  }
}
