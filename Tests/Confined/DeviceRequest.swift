import Glibc

/// An attempt to make a request of an inherited descriptor.
enum DeviceRequest: String {
  case withoutRule = "request"
  case allowed = "device: allowed"
  case other = "device: other"
  case terminal = "device: terminal"
  case disguised = "device: disguised"

  init?(_ name: String) { self.init(rawValue: name) }

  /// FIGETBSZ of <linux/fs.h>, which states the size of a file's blocks.
  private static let blockSize: UInt = 2
  /// The requests that the sandbox allows.
  static let ioctls = [UInt64(blockSize)]

  private var number: UInt {
    switch self {
    case .withoutRule, .allowed: Self.blockSize
    // FS_IOC_GETVERSION of <linux/fs.h>.
    case .other: 0x8008_7601
    case .terminal: UInt(TCGETS)
    case .disguised: Self.blockSize | 1 << 32
    }
  }

  /// Makes the attempt.
  ///
  /// - Returns: 0 if it succeeds, or the error number.
  func attempt() -> Int32 {
    let file = open("/proc/self/maps", O_RDONLY)
    var answer = [UInt8](repeating: 0, count: 64)
    return ioctl(file, number, &answer) == 0 ? 0 : errno
  }
}
