import FarmAPI
import Glibc

extension CaptureDevice {
  /// Opens the device. Blocks.
  ///
  /// - Returns: a descriptor that the caller must close.
  /// - Throws: ``JobError`` with code `source-unreachable`.
  func open() throws(JobError) -> Int32 {
    let (path, major): (String, UInt32) =
      switch self {
      case .video(let path): (path, Self.videoMajor)
      case .sound(let card, let device): (try Self.soundPath(card, device, self), Self.soundMajor)
      }
    // Merely opening some devices has an effect.
    var status = stat()
    guard stat(path, &status) != 0 || Self.isDevice(status, major) else { throw wrongDevice }
    // Without O_NONBLOCK, opening a sound card waits until no other program uses it.
    let descriptor = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      let number = errno
      throw failure(Self.reason(number), Self.remedy(number))
    }
    guard fstat(descriptor, &status) == 0, Self.isDevice(status, major) else {
      close(descriptor)
      throw wrongDevice
    }
    return descriptor
  }

  private static func isDevice(_ status: stat, _ major: UInt32) -> Bool {
    status.st_mode & S_IFMT == S_IFCHR && self.major(of: status.st_rdev) == major
  }

  private var wrongDevice: JobError { failure("it is not a capture device", Self.addresses) }

  /// The numbers of the kinds of devices in Linux (Documentation/admin-guide/devices.txt).
  private static let videoMajor: UInt32 = 81
  private static let soundMajor: UInt32 = 116

  /// As glibc's `gnu_dev_major`, which Swift's Glibc lacks.
  private static func major(of device: dev_t) -> UInt32 {
    UInt32(truncatingIfNeeded: (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF)
  }

  private static let addresses = "list the devices with `v4l2-ctl --list-devices` or `arecord -l`"

  /// The path of a sound card's device for capturing. The kernel links the id of each card to its number.
  private static func soundPath(
    _ card: String, _ device: Int, _ address: CaptureDevice
  ) throws(JobError) -> String {
    if UInt16(card) != nil { return "/dev/snd/pcmC\(card)D\(device)c" }
    var target = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/asound/\(card)", &target, target.count - 1)
    let name = String(
      decoding: target.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard name.hasPrefix("card"), let number = UInt16(name.dropFirst(4)) else {
      throw address.failure("there is no such sound card", addresses)
    }
    return "/dev/snd/pcmC\(number)D\(device)c"
  }

  private static func reason(_ number: Int32) -> String {
    String(cString: strerror(number == EAGAIN ? EBUSY : number))
  }

  private static func remedy(_ number: Int32) -> String {
    switch number {
    case EACCES, EPERM: "add the coordinator's user to the groups video and audio"
    case EBUSY, EAGAIN: "end the program that uses it"
    default: addresses
    }
  }

  private func failure(_ reason: String, _ remedy: String) -> JobError {
    JobError(.sourceUnreachable, "cannot open the source: \(self): \(reason): \(remedy)")
  }
}
