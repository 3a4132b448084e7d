import Foundation
import Processes
import Support
import Testing

/// Messages between two processes, and what a compromised one might send.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct MessageChannelTests {
  private let channel: MessageChannel
  private let other: Int32

  init() throws {
    let (ours, theirs) = try Descriptors.socketPair()
    channel = MessageChannel(taking: ours, largest: 100)
    other = theirs
  }

  /// Sends a header with control data.
  private func send(_ header: [UInt8], with control: [UInt8] = []) -> Int {
    var (header, control) = (header, control)
    return header.withUnsafeMutableBytes { header in
      control.withUnsafeMutableBytes { control in
        var part = iovec(iov_base: header.baseAddress, iov_len: header.count)
        return withUnsafeMutablePointer(to: &part) { part in
          var message = msghdr()
          message.msg_iov = part
          message.msg_iovlen = 1
          message.msg_control = control.isEmpty ? nil : control.baseAddress
          message.msg_controllen = control.count
          return sendmsg(other, &message, 0)
        }
      }
    }
  }

  /// A new file without a name, and the name that the kernel lists for its descriptors.
  private func file() throws -> (descriptor: Int32, name: String) {
    let path = "/tmp/descriptor-\(UUID().uuidString)"
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(file >= 0)
    unlink(path)
    return (file, "\(path) (deleted)")
  }

  /// The number of open descriptors of a file.
  private func descriptors(of file: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == file
    }
  }

  @Test func `a message arrives with its kind, its bytes and its descriptor`() throws {
    let (file, name) = try file()
    defer { close(file) }
    let sender = MessageChannel(taking: other, largest: 100)
    sender.send(Message(kind: 7, bytes: [1, 2, 10, 0], descriptor: file))
    sender.send(Message(bytes: []))
    let message = try channel.receive()
    #expect(message.kind == 7)
    #expect(message.bytes == [1, 2, 10, 0])
    #expect(message.descriptor >= 0)
    #expect(fcntl(message.descriptor, F_GETFD) == FD_CLOEXEC)
    #expect(try descriptors(of: name) == 2)
    close(message.descriptor)
    #expect(try channel.receive() == Message(bytes: []))
  }

  @Test func `a message is a header followed by its bytes, and integers are little-endian`()
    throws
  {
    defer { close(other) }
    channel.send(Message(kind: 3, bytes: Message.bytes(of: [0x0102])))
    var bytes = [UInt8](repeating: 0xFF, count: 16)
    #expect(recv(other, &bytes, bytes.count, Int32(MSG_WAITALL)) == 16)
    #expect(bytes == [8, 0, 0, 0, 3, 0, 0, 0] + [2, 1, 0, 0, 0, 0, 0, 0])
    #expect(Message.numbers(1, in: Array(bytes[8...])) == [0x0102])
    #expect(Message.numbers(2, in: Array(bytes[8...])) == nil)
  }

  @Test func `a message that is longer than a socket's buffer arrives whole`() throws {
    let (ours, theirs) = try Descriptors.socketPair()
    let bytes = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
    let thread = Thread {
      MessageChannel(taking: theirs, largest: 0).send(Message(kind: 1, bytes: bytes))
    }
    thread.start()
    let message = try MessageChannel(taking: ours, largest: 1 << 20).receive()
    #expect(message.bytes == bytes)
    close(other)
  }

  @Test func `only one of two descriptors is accepted`() throws {
    defer { close(other) }
    let (file, name) = try file()
    defer { close(file) }
    // The header announces one descriptor; the control message has two (`cmsghdr`).
    var control: [UInt8] = []
    withUnsafeBytes(of: 24) { control += $0 }
    for value in [SOL_SOCKET, Int32(SCM_RIGHTS), file, file] {
      withUnsafeBytes(of: value) { control += $0 }
    }
    #expect(send([0, 0, 0, 0, 5, 1, 0, 0], with: control) == 8)
    let message = try channel.receive()
    #expect(message.descriptor >= 0)
    #expect(try descriptors(of: name) == 2)
    close(message.descriptor)
  }

  @Test func `a descriptor that the header does not announce is closed`() throws {
    defer { close(other) }
    let (file, name) = try file()
    defer { close(file) }
    var control: [UInt8] = []
    withUnsafeBytes(of: 20) { control += $0 }
    for value in [SOL_SOCKET, Int32(SCM_RIGHTS), file, 0] {
      withUnsafeBytes(of: value) { control += $0 }
    }
    #expect(send([0, 0, 0, 0, 5, 0, 0, 0], with: control) == 8)
    #expect(throws: MessageChannel.Silence.invalid) { try channel.receive() }
    #expect(try descriptors(of: name) == 1)
  }

  @Test(arguments: [[0, 2, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]] as [[UInt8]])
  func `an invalid header ends the dialogue`(end: [UInt8]) {
    #expect(send([0, 0, 0, 0] + end) == 8)
    close(other)
    #expect(throws: MessageChannel.Silence.invalid) { try channel.receive() }
  }

  @Test(arguments: [(UInt8(100), true), (101, false)])
  func `a message above the size limit ends the dialogue`(size: UInt8, isTaken: Bool) {
    #expect(send([size, 0, 0, 0, 0, 0, 0, 0]) == 8)
    #expect(send(Array(repeating: 0, count: Int(size))) == Int(size))
    close(other)
    if isTaken {
      #expect(throws: Never.self) { try channel.receive() }
    } else {
      #expect(throws: MessageChannel.Silence.tooLong) { try channel.receive() }
    }
  }

  @Test(arguments: [[], [4], [4, 0, 0, 0, 0, 0, 0, 0], [4, 0, 0, 0, 0, 0, 0, 0, 1]] as [[UInt8]])
  func `a message that is cut off is not received`(bytes: [UInt8]) {
    #expect(bytes.isEmpty || send(bytes) == bytes.count)
    close(other)
    #expect(throws: MessageChannel.Silence.end) { try channel.receive() }
  }

  @Test(arguments: [[], [4], [4, 0, 0, 0, 0, 0, 0, 0, 1]] as [[UInt8]])
  func `a message that is not complete at the deadline is late`(bytes: [UInt8]) {
    defer { close(other) }
    #expect(bytes.isEmpty || send(bytes) == bytes.count)
    #expect(throws: MessageChannel.Silence.late) {
      try channel.receive(until: SuspendingClock.now + .milliseconds(1))
    }
  }

  @Test func `sending times out if the other end does not read the message`() {
    defer { close(other) }
    let message = Message(bytes: [UInt8](repeating: 0, count: 1 << 24))
    #expect(!channel.send(message, until: SuspendingClock.now + .milliseconds(1)))
  }

  @Test func `nothing is received after a channel hangs up`() {
    defer { close(other) }
    channel.hangUp()
    #expect(throws: MessageChannel.Silence.end) { try channel.receive() }
    #expect(channel.send(Message(bytes: [])), "only the missing answer shows it")
  }
}
