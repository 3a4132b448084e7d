import Foundation
import Processes

/// One end of a socket pair between a worker and a render process. Use it on one thread at a time.
package final class MessageSocket: Sendable {
  private let descriptor: Int32

  /// The maximum size of a received message, in bytes.
  private let largest: Int
  /// The kind, whether there is a descriptor, and the number of bytes.
  private static let headerSize = 8

  /// Takes ownership of a descriptor.
  ///
  /// - Parameter largest: the maximum size of a received message, in bytes.
  package init(taking descriptor: Int32, largest: Int) {
    self.descriptor = descriptor
    self.largest = largest
  }

  deinit { close(descriptor) }

  /// Ends the dialogue: current and later reads at both ends get an end of stream. Can be called on any thread.
  func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Sends a message. The caller keeps its descriptor. If sending fails, the missing answer shows it.
  func send(_ message: RenderMessage) {
    var header = [UInt8](repeating: 0, count: Self.headerSize)
    header[0] = message.kind.rawValue
    header[1] = message.descriptor >= 0 ? 1 : 0
    withUnsafeBytes(of: UInt32(message.bytes.count).littleEndian) {
      header.replaceSubrange(4..<8, with: $0)
    }
    guard sendHeader(header, with: message.descriptor) else { return }
    message.bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = Foundation.send(
          descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done,
          Int32(MSG_NOSIGNAL))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        done += count
      }
    }
  }

  /// Waits for a message, whose descriptor the caller must close. Meanwhile reads the other end's standard error into
  /// `words`, if given. Returns `nil` at the end of the stream.
  package func receive(hearing words: LastWords? = nil) -> RenderMessage? {
    _ = words?.wait(for: descriptor, POLLIN)
    var header = [UInt8](repeating: 0, count: Self.headerSize)
    guard let passed = receiveHeader(&header), let kind = RenderMessage.Kind(rawValue: header[0])
    else { return nil }
    let count = header.withUnsafeBytes {
      Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
    }
    var bytes: [UInt8]?
    if count <= largest { bytes = receive(count) }
    guard let bytes, (header[1] == 1) == (passed >= 0) else {
      if passed >= 0 { close(passed) }
      return nil
    }
    return RenderMessage(kind: kind, bytes: bytes, descriptor: passed)
  }

  private func receive(_ count: Int) -> [UInt8]? {
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let received = recv(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, 0)
        if received < 0, errno == EINTR { continue }
        guard received > 0 else {
          isWhole = false
          return
        }
        filled += received
      }
    }
    return isWhole ? bytes : nil
  }

  /// The size of a control message with one descriptor, in bytes (`cmsghdr`).
  private static let controlSize = 20

  /// A control message with one descriptor: its length, level, type and number, padded to 8 bytes (`cmsghdr`).
  private static func control(_ number: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    withUnsafeBytes(of: controlSize) { bytes += $0 }
    for value in [SOL_SOCKET, Int32(SCM_RIGHTS), number, 0] {
      withUnsafeBytes(of: value) { bytes += $0 }
    }
    return bytes
  }

  private func sendHeader(_ header: [UInt8], with passed: Int32) -> Bool {
    var header = header
    var control = passed >= 0 ? Self.control(passed) : []
    let sent = Self.withMessage(&header, &control) { message in
      while true {
        let count = sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
        if count < 0, errno == EINTR { continue }
        return count
      }
    }
    // A header is so small that a socket takes all of it at once.
    return sent == header.count
  }

  /// Receives a header and its descriptor, or -1 if there is none. Returns `nil` at the end of the stream.
  private func receiveHeader(_ header: inout [UInt8]) -> Int32? {
    // There is no padding, because the kernel would put a second descriptor into it.
    var control = [UInt8](repeating: 0, count: Self.controlSize)
    var length = 0
    let received = Self.withMessage(&header, &control) { message in
      while true {
        let flags = Int32(MSG_WAITALL) | Int32(MSG_CMSG_CLOEXEC)
        let count = recvmsg(descriptor, &message, flags)
        if count < 0, errno == EINTR { continue }
        length = Int(message.msg_controllen)
        return count
      }
    }
    let passed =
      length >= Self.controlSize
      ? control.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: Int32.self) } : -1
    guard received == header.count else {
      if passed >= 0 { close(passed) }
      return nil
    }
    return passed
  }

  /// Calls `body` with a message made of a header and control data, for `sendmsg` and `recvmsg`.
  package static func withMessage<Result>(
    _ header: inout [UInt8], _ control: inout [UInt8], _ body: (inout msghdr) -> Result
  ) -> Result {
    header.withUnsafeMutableBytes { header in
      control.withUnsafeMutableBytes { control in
        var part = iovec(iov_base: header.baseAddress, iov_len: header.count)
        return withUnsafeMutablePointer(to: &part) { part in
          var message = msghdr()
          message.msg_iov = part
          message.msg_iovlen = 1
          message.msg_control = control.isEmpty ? nil : control.baseAddress
          message.msg_controllen = control.count
          return body(&message)
        }
      }
    }
  }
}
