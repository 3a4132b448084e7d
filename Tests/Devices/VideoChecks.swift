import Capture
import Foundation

/// Checks with virtual cameras, which show color bars and a text that changes with each picture.
enum VideoChecks {
  static let all: [(String, @Sendable () throws -> Void)] = [
    ("the text covers few lines", text),
    ("a webcam delivers the requested pictures", { try pictures(of: "/dev/video0") }),
    ("so does one with the multi-planar interface", { try pictures(of: "/dev/video2") }),
    ("the format with the highest frame rate is chosen", choice),
    ("the samples of each layout are where it says", layouts),
    ("pictures that are not taken in time are counted", losses),
    ("an analog input delivers interlaced pictures", interlaced),
    ("an HDMI input has the timings of its signal, and reports that it is lost", signal),
    ("a device that is used is busy", busy),
    ("a device that is disconnected is reported", disconnection),
  ]

  private static func text() throws {
    for number in 0..<4 { try Check.control("/dev/video\(number)", "osd_text_mode=1") }
  }

  /// The properties of a captured picture.
  private struct Seen {
    let time: Duration
    let lost: Int
    let isDamaged: Bool
    let hash: Int
  }

  private static func open(
    _ path: String, _ request: VideoCaptureRequest
  ) throws -> VideoDevice {
    let device = try VideoDevice(taking: try Check.open(path), request)
    let format = device.format
    print(
      "  \(format.coding), \(format.width)x\(format.height), \(format.fieldOrder), "
        + "\(format.frameInterval?.description ?? "?") s, \(format.range) range, \(format.matrix)")
    return device
  }

  /// Captures pictures, checks that their times increase and that they are not damaged, and prints their rate.
  private static func capture(_ count: Int, from device: VideoDevice) throws -> [Seen] {
    guard case .raw(let layout) = device.format.coding else { throw Failure("it is compressed") }
    let bars = ColorBars(layout: layout, format: device.format)
    var seen: [Seen] = []
    while seen.count < count {
      Check.wait(for: device.descriptor)
      while seen.count < count {
        let next = try device.next { picture in
          try bars.check(picture.bytes)
          try Check.require(
            picture.bytes.count >= device.format.size, "\(picture.bytes.count) bytes are too few")
          var hasher = Hasher()
          hasher.combine(bytes: picture.bytes)
          return Seen(
            time: picture.time, lost: picture.lost, isDamaged: picture.isDamaged,
            hash: hasher.finalize())
        }
        guard let next else { break }
        if let last = seen.last {
          try Check.require(next.time > last.time, "the times do not increase")
        }
        let age = Check.now - next.time
        try Check.require(age >= .zero && age < .seconds(10), "the time is \(age.seconds) s old")
        seen.append(next)
      }
    }
    try Check.require(!seen.contains(where: \.isDamaged), "a picture is damaged")
    return seen
  }

  /// The pictures per second, with those that are lost.
  private static func rate(of seen: [Seen]) -> Double {
    let count = seen.count - 1 + seen.dropFirst().reduce(0) { $0 + $1.lost }
    return Double(count) / (seen[seen.count - 1].time - seen[0].time).seconds
  }

  private static func pictures(of path: String) throws {
    let device = try open(
      path,
      VideoCaptureRequest(
        width: 320, height: 180, framesPerSecond: Fraction(15, 1), coding: .raw(.yuyv422)))
    let format = device.format
    try Check.require(format.width == 320 && format.height == 180, "the size is wrong")
    try Check.require(format.frameInterval == Fraction(1, 15), "the interval is wrong")
    try Check.require(format.range == .limited && format.matrix == .bt601, "the color is wrong")
    try device.start()
    let seen = try capture(45, from: device)
    let (lost, different) = (seen.reduce(0) { $0 + $1.lost }, Set(seen.map(\.hash)).count)
    print("  45 pictures, \(different) different, \(lost) lost, \(rate(of: seen)) per second")
    try Check.require(different == 45, "pictures come twice")
    try Check.require(abs(rate(of: seen) - 15) < 0.3, "the frame rate is wrong")
  }

  private static func choice() throws {
    // At 320x180, everything has 60 frames per second; at the largest size, nothing has more than 5.
    for (request, rate) in [
      (VideoCaptureRequest(width: 320, height: 180), Fraction(60, 1)),
      (
        VideoCaptureRequest(width: 330, height: 200, framesPerSecond: Fraction(13, 1)),
        Fraction(25, 2)
      ),
    ] {
      let format = try open("/dev/video0", request).format
      try Check.require(format.coding == .raw(.nv12), "the format is wrong")
      try Check.require(format.width == 320 && format.height == 180, "the size is wrong")
      try Check.require(format.frameInterval?.reciprocal == rate, "the frame rate is wrong")
    }
    // Nothing is requested: the size stays.
    let format = try open("/dev/video0", VideoCaptureRequest()).format
    try Check.require(format.width == 320 && format.height == 180, "the size changed")
  }

  private static func layouts() throws {
    var count = 0
    for layout in RawLayout.allCases {
      let request = VideoCaptureRequest(
        width: 320, height: 180, framesPerSecond: Fraction(10, 1), coding: .raw(layout))
      do {
        let device = try open("/dev/video0", request)
        try device.start()
        _ = try capture(2, from: device)
        count += 1
      } catch let error as CaptureError where error.code == .unsupported {
        print("  \(layout): \(error)")
      } catch {
        throw Failure("\(layout): \(error)")
      }
    }
    try Check.require(count >= 12, "only \(count) layouts were tried")
  }

  private static func losses() throws {
    let device = try open(
      "/dev/video0", VideoCaptureRequest(width: 320, height: 180, framesPerSecond: Fraction(10, 1)))
    try device.start()
    var seen = try capture(5, from: device)
    Check.idle(milliseconds: 3000)
    seen += try capture(15, from: device)
    let lost = seen.map(\.lost)
    print("  lost: \(lost), \(rate(of: seen)) per second")
    try Check.require((15...26).contains(lost.reduce(0, +)), "the number is wrong")
    try Check.require(abs(rate(of: seen) - 10) < 0.5, "the number does not fit the time")
  }

  private static func interlaced() throws {
    let device = try open("/dev/video3", VideoCaptureRequest())
    try Check.require(device.format.isInterlaced, "the pictures are progressive")
    try device.start()
    let seen = try capture(20, from: device)
    print("  \(rate(of: seen)) per second, \(seen.reduce(0) { $0 + $1.lost }) lost")
    let stated = device.format.frameInterval.map { Double($0.denominator) / Double($0.numerator) }
    try Check.require(abs(rate(of: seen) - (stated ?? 0)) < 1, "the frame rate is wrong")
    try Check.control("/dev/video3", "standard_signal_mode=1")
    try Check.requireError(.noSignal) { try drain(device, until: Check.now + .seconds(10)) }
    try Check.control("/dev/video3", "standard_signal_mode=0")
  }

  private static func signal() throws {
    let path = "/dev/video1"
    let device = try open(path, VideoCaptureRequest())
    try Check.require(device.format.frameInterval == Fraction(1, 60), "the interval is wrong")
    try device.start()
    var count = 0
    while count < 3 {
      Check.wait(for: device.descriptor)
      if try device.next({ $0.isDamaged }) == false { count += 1 }
    }
    let start = Check.now
    try Check.control(path, "dv_timings_signal_mode=1")
    try Check.requireError(.noSignal) { try drain(device, until: start + .seconds(10)) }
    print("  after \((Check.now - start).seconds) s")
    device.close()
    // 1: there is no signal; 2: it is unstable; 3: it is out of range.
    for mode in 1...3 {
      try Check.control(path, "dv_timings_signal_mode=\(mode)")
      try Check.requireError(.noSignal) { _ = try open(path, VideoCaptureRequest()) }
    }
    try Check.control(path, "dv_timings_signal_mode=0")
    let next = try open(path, VideoCaptureRequest())
    try next.start()
    // 4: another signal comes.
    try Check.control(path, "dv_timings_signal_mode=4")
    try Check.requireError(.noSignal) { try drain(next, until: Check.now + .seconds(10)) }
    next.close()
    let format = try open(path, VideoCaptureRequest()).format
    try Check.require(format.width != next.format.width, "the size is that of the old signal")
  }

  /// Takes pictures until there is an error.
  private static func drain(_ device: VideoDevice, until limit: Duration) throws {
    while Check.now < limit {
      Check.wait(for: device.descriptor)
      _ = try device.next { _ in }
    }
  }

  private static func busy() throws {
    let device = try open("/dev/video0", VideoCaptureRequest())
    try device.start()
    try Check.requireError(.busy) { _ = try open("/dev/video0", VideoCaptureRequest()) }
    _ = try capture(2, from: device)
  }

  private static func disconnection() throws {
    let device = try open("/dev/video2", VideoCaptureRequest())
    try device.start()
    _ = try capture(2, from: device)
    try Check.control("/dev/video2", "disconnect=1")
    try Check.requireError(.unplugged) { try drain(device, until: Check.now + .seconds(10)) }
  }
}
