import Foundation
import Testing
import sheaf_worker

/// Messages that a compromised render process might send to its worker.
struct MessageSocketTests {
  private let socket: MessageSocket
  private let process: Int32

  init() throws {
    var pair: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    socket = MessageSocket(taking: pair[0], largest: 100)
    process = pair[1]
  }

  private func send(_ header: [UInt8], with control: [UInt8] = []) -> Int {
    var (header, control) = (header, control)
    return MessageSocket.withMessage(&header, &control) { sendmsg(process, &$0, 0) }
  }

  /// The number of open descriptors of a file.
  private func descriptors(of file: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == file
    }
  }

  @Test func `only one of two descriptors is accepted`() throws {
    defer { close(process) }
    let path = "/tmp/descriptor-\(UUID().uuidString)"
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(file >= 0)
    unlink(path)
    defer { close(file) }
    // The header has the kind "open" and announces one descriptor; the control message has two (`cmsghdr`).
    var control: [UInt8] = []
    withUnsafeBytes(of: 24) { control += $0 }
    for value in [SOL_SOCKET, Int32(SCM_RIGHTS), file, file] {
      withUnsafeBytes(of: value) { control += $0 }
    }
    #expect(send([RenderMessage.Kind.open.rawValue, 1, 0, 0, 0, 0, 0, 0], with: control) == 8)
    let message = try #require(socket.receive())
    #expect(message.descriptor >= 0)
    #expect(try descriptors(of: "\(path) (deleted)") == 2)
    close(message.descriptor)
  }

  @Test(arguments: [(UInt8(100), true), (101, false)])
  func `a message above the size limit ends the dialogue`(size: UInt8, isTaken: Bool) {
    #expect(send([RenderMessage.Kind.open.rawValue, 0, 0, 0, size, 0, 0, 0]) == 8)
    #expect(send(Array(repeating: 0, count: Int(size))) == Int(size))
    close(process)
    #expect((socket.receive() != nil) == isTaken)
  }
}
