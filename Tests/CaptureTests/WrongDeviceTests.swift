import Capture
import Foundation
import Support
import Testing

/// Descriptors that are not those of capture devices.
@Suite(.mayBlock) struct WrongDeviceTests {
  @Test(arguments: ["/dev/null", "/proc/self/exe"])
  func `what is not a video device is rejected and closed`(path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    let error = #expect(throws: CaptureError.self) { try VideoDevice(taking: descriptor) }
    #expect(error?.code == .unsupported)
    #expect(error?.problem == "this is not a video device")
    #expect(fcntl(descriptor, F_GETFD) == -1)
  }

  @Test(arguments: ["/dev/null", "/proc/self/exe"])
  func `what is not a sound device is rejected and closed`(path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    let error = #expect(throws: CaptureError.self) { try SoundDevice(taking: descriptor) }
    #expect(error?.code == .unsupported)
    #expect(error?.problem == "this is not a sound device")
    #expect(fcntl(descriptor, F_GETFD) == -1)
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
}
