import Capture
import Foundation
import Support
import Testing

/// Descriptors that are not those of capture devices.
@Suite(.mayBlock) struct WrongDeviceTests {
  @Test(arguments: ["/dev/null", "/proc/self/exe"])
  func `what is not a device is rejected`(path: String) {
    expectRejection("this is not a video device") {
      try VideoDevice(taking: open(path, O_RDONLY | O_CLOEXEC))
    }
    expectRejection("this is not a sound device") {
      try SoundDevice(taking: open(path, O_RDONLY | O_CLOEXEC))
    }
  }

  @Test func `what is not a video device is closed`() throws {
    try expectClosing { try VideoDevice(taking: $0) }
  }

  @Test func `what is not a sound device is closed`() throws {
    try expectClosing { try SoundDevice(taking: $0) }
  }

  @Test(
    arguments: [
      (ENODEV, .unplugged), (EBUSY, .busy), (ENOLINK, .noSignal), (EIO, .failed),
    ] as [(Int32, CaptureError.Code)])
  func `an error of the kernel says what happened`(number: Int32, code: CaptureError.Code) {
    let error = CaptureError.system("the device does not start", number: number)
    #expect(error.code == code)
    #expect(error.number == number)
    #expect(error.description.hasSuffix("(\(String(cString: strerror(number))))"))
  }

  @Test func `the requests are those of video and sound devices`() {
    let kinds = Set((VideoDevice.requests + SoundDevice.requests).map { $0 >> 8 & 0xFF })
    #expect(kinds == [UInt64(UInt8(ascii: "V")), UInt64(UInt8(ascii: "A"))])
    #expect(VideoDevice.requests.count == 21)
    #expect(SoundDevice.requests.count == 10)
  }

  private func expectRejection(_ problem: String, by take: () throws -> some Any) {
    let error = #expect(throws: CaptureError.self) { _ = try take() }
    #expect(error?.code == .unsupported)
    #expect(error?.problem == problem)
  }

  /// Gives one end of a connection to `take`, and waits until the other end sees it closed.
  ///
  /// The number of the descriptor says nothing: other tests may already have opened a file under it.
  private func expectClosing(by take: (Int32) throws -> some Any) throws {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    defer { close(ends[1]) }
    #expect(throws: CaptureError.self) { _ = try take(ends[0]) }
    try blockUntil("the connection is closed") {
      var end = pollfd(fd: ends[1], events: 0, revents: 0)
      return poll(&end, 1, 0) == 1 && end.revents & Int16(POLLHUP) != 0
    }
  }
}
