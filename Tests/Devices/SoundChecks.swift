import Capture
import Foundation

/// Checks with a sound card that captures what `aplay` plays on it.
enum SoundChecks {
  static let all: [(String, @Sendable () throws -> Void)] = [
    ("exactly the samples that are played are captured", { try played(.s16le, rate: 48_000) }),
    ("so are 32 bits at another rate", { try played(.s32le, rate: 44_100) }),
    ("an overrun is counted, and the capture goes on", overrun),
    ("a request that cannot be fulfilled is rejected", rejection),
    ("a device that plays is rejected, and one that is used is busy", wrongDevice),
    ("a card that is disconnected is reported", disconnection),
  ]

  private static let path = "/dev/snd/pcmC0D1c"

  /// Frames that were captured at once.
  private struct Piece {
    let time: Duration
    let lost: Int
    let numbers: [UInt32?]
  }

  private static func play(_ sample: CapturedSoundFormat.Sample, rate: Int, seconds: Int) throws
    -> Process
  {
    let file = "/tmp/numbered.raw"
    try NumberedFrames.write(rate * seconds, as: sample, to: file)
    let player = try Check.start(
      "/usr/bin/aplay", "-q", "-D", "hw:0,0", "-t", "raw", "-c", "2", "-r", "\(rate)", "-f",
      sample == .s16le ? "S16_LE" : "S32_LE", "--buffer-time", "1000000", file)
    for _ in 0..<100 {
      let status = FileManager.default.contents(atPath: "/proc/asound/card0/pcm0p/sub0/status")
      if String(decoding: status ?? Data(), as: UTF8.self).contains("RUNNING") { return player }
      Check.idle(milliseconds: 100)
    }
    throw Failure("aplay does not play")
  }

  private static func stop(_ player: Process) {
    player.terminate()
    player.waitUntilExit()
  }

  private static func open(_ request: SoundCaptureRequest = SoundCaptureRequest()) throws
    -> SoundDevice
  {
    let device = try SoundDevice(taking: try Check.open(path), request)
    let format = device.format
    print(
      "  \(format.sampleRate) Hz, \(format.channels) channels, \(format.sample), "
        + "\(device.capacity) frames in the buffer")
    return device
  }

  /// Takes what is captured for a time.
  private static func capture(from device: SoundDevice, seconds: Double) throws -> [Piece] {
    var pieces: [Piece] = []
    let end = Check.now + .seconds(seconds)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    while Check.now < end {
      Check.wait(for: device.descriptor)
      while let sound = try device.next(into: buffer) {
        let age = Check.now - sound.time
        try Check.require(age >= .zero && age < .seconds(10), "the time is \(age.seconds) s old")
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<sound.bytes])
        pieces.append(
          Piece(
            time: sound.time, lost: sound.lost,
            numbers: NumberedFrames.numbers(in: bytes, as: device.format.sample)))
      }
    }
    return pieces
  }

  private static func played(_ sample: CapturedSoundFormat.Sample, rate: Int) throws {
    let player = try play(sample, rate: rate, seconds: 6)
    defer { stop(player) }
    let device = try open()
    try Check.require(device.format.sampleRate == rate, "the sample rate is wrong")
    try Check.require(device.format.sample == sample, "the sample format is wrong")
    try device.start()
    let pieces = try capture(from: device, seconds: 4)
    let numbers = pieces.flatMap(\.numbers)
    try Check.require(!numbers.contains(nil), "there are other samples")
    let frames = numbers.compactMap(\.self).drop { $0 == 0 }
    let isExact = zip(frames, frames.dropFirst()).allSatisfy { $1 == $0 + 1 }
    print("  \(frames.count) frames from number \(frames.first ?? 0)")
    try Check.require(isExact, "the frames are not those that are played")
    try Check.require(frames.count > rate * 3, "there are too few frames")
    try Check.require(!pieces.contains { $0.lost > 0 }, "frames are lost")
    // Where the frames would be if the card were exact.
    var (jitter, count) = (0.0, 0)
    for piece in pieces {
      let ideal = pieces[0].time + .seconds(Double(count) / Double(rate))
      jitter = max(jitter, abs((piece.time - ideal).seconds))
      count += piece.numbers.count
    }
    let span = (pieces[pieces.count - 1].time - pieces[0].time).seconds
    let measured = Double(count - pieces[pieces.count - 1].numbers.count) / span
    print("  \(pieces.count) pieces, \(measured) frames per second, \(jitter) s off at most")
    try Check.require(jitter < 0.05, "the times are wrong")
  }

  private static func overrun() throws {
    let player = try play(.s16le, rate: 48_000, seconds: 12)
    defer { stop(player) }
    let device = try open(SoundCaptureRequest(sampleRate: 48_000, channels: 2))
    try device.start()
    let before = try capture(from: device, seconds: 1)
    Check.idle(milliseconds: 4000)
    let after = try capture(from: device, seconds: 2)
    guard let last = before.last?.numbers.last ?? nil, let next = after.first,
      let first = next.numbers.first ?? nil
    else { throw Failure("nothing is captured") }
    let missing = Int(first) - Int(last) - 1
    print("  lost: \(next.lost); the frames in between: \(missing)")
    try Check.require(next.lost > 48_000 * 3, "the loss is not counted")
    try Check.require(abs(next.lost - missing) < 480 * 5, "the loss is another one")
    try Check.require(!after.dropFirst().contains { $0.lost > 0 }, "more losses are counted")
    let numbers = after.flatMap(\.numbers).compactMap(\.self)
    try Check.require(
      zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 }, "the frames are wrong")
  }

  private static func rejection() throws {
    try Check.requireError(.unsupported) { _ = try open(SoundCaptureRequest(channels: 63)) }
    try Check.requireError(.unsupported) { _ = try open(SoundCaptureRequest(sampleRate: 1)) }
    let device = try open(SoundCaptureRequest(sampleRate: 32_000, channels: 1))
    try Check.require(device.format.channels == 1, "the number of channels is wrong")
    try Check.require(device.format.sampleRate == 32_000, "the sample rate is wrong")
  }

  private static func wrongDevice() throws {
    try Check.requireError(.unsupported) {
      _ = try SoundDevice(taking: try Check.open("/dev/snd/pcmC0D0p"))
    }
    try Check.requireError(.unsupported) {
      _ = try VideoDevice(taking: try Check.open(path))
    }
    let device = try open()
    try device.start()
    let second = Glibc.open(path, O_RDWR | O_NONBLOCK)
    print("  opening it again: \(String(cString: strerror(errno)))")
    try Check.require(second < 0, "it can be opened twice")
  }

  private static func disconnection() throws {
    let device = try open()
    try device.start()
    _ = try capture(from: device, seconds: 1)
    let driver = "/sys/bus/platform/drivers/snd_aloop/unbind"
    // Unbinding waits until the device is closed.
    let unbinding = try Check.start("/bin/sh", "-c", "echo snd_aloop.0 >\(driver)")
    defer { unbinding.waitUntilExit() }
    defer { device.close() }
    try Check.requireError(.unplugged) { _ = try capture(from: device, seconds: 5) }
  }
}
