import CCapture
import Glibc
import Threads

/// Captures samples from a sound card (ALSA) whose PCM device is already open.
///
/// Not thread-safe. It never waits: callers wait with `poll` for `POLLIN`. A device that has stopped because its buffer was
/// full is ready, too.
public final class SoundDevice {
  /// The ioctl requests that it makes.
  public static let requests = Array(
    sequence(first: 0) { $0 + 1 }.lazy.map(sheaf_sound_request).prefix { $0 != 0 })

  /// The descriptor, to wait for samples with; -1 once it is closed.
  public private(set) var descriptor: Int32
  /// The format of the samples.
  public let format: CapturedSoundFormat
  /// The number of frames that the device holds until they are lost.
  public let capacity: Int
  private let driver: SoundDriver
  /// Whether samples have 24 bits in the low bytes, and are moved to the high ones.
  private let shiftsSamples: Bool
  private var clock: SoundClock
  private var isStarted = false

  private static let mostChannels = 64
  private static let highestRate = 768_000

  /// Takes ownership of the descriptor of a PCM device for capturing, which should be open for reading and writing, and
  /// was opened without waiting (`O_NONBLOCK`).
  ///
  /// The sample format is s16le if the device offers it, otherwise s32le, s24le, f32le or u8.
  public init(
    taking descriptor: Int32, _ request: SoundCaptureRequest = SoundCaptureRequest()
  ) throws(CaptureError) {
    do throws(CaptureError) {
      let driver = try SoundDriver(descriptor)
      let space = try SoundConfiguration.choose(request) { space throws(CaptureError) in
        try driver.refine(space)
      }
      let setup = try driver.configure(space)
      let sampleFormat = SampleFormat(rawValue: setup.format)
      let (channels, rate) = (Int(setup.channels), Int(setup.rate))
      guard let sample = sampleFormat.sample, (1...Self.mostChannels).contains(channels),
        (1...Self.highestRate).contains(rate)
      else {
        throw CaptureError(
          .unsupported,
          "the device delivers \(channels) channels at \(rate) Hz in ALSA's sample format \(setup.format)"
        )
      }
      self.driver = driver
      shiftsSamples = sampleFormat == .s24
      format = CapturedSoundFormat(sampleRate: rate, channels: channels, sample: sample)
      capacity = Int(setup.buffer)
      clock = SoundClock(sampleRate: rate)
      self.descriptor = descriptor
    } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  deinit { close() }

  /// Starts to capture. Call it once.
  public func start() throws(CaptureError) {
    guard descriptor >= 0, !isStarted else { return }
    try driver.start()
    isStarted = true
  }

  /// Takes the frames that are ready, if there are some.
  ///
  /// If the device has stopped, which loses what it held, this starts it again. The next frames state how many were lost.
  ///
  /// - Parameter buffer: has room for at least one frame.
  /// - Returns: `nil` if nothing is ready.
  public func next(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(CaptureError) -> CapturedSound? {
    guard descriptor >= 0 else { throw CaptureError(.failed, "the device is closed") }
    guard isStarted else { return nil }
    let status = try driver.status()
    let now = MonotonicClock.now
    switch status.state {
    case sheaf_sound_running: break
    case sheaf_sound_overrun, sheaf_sound_suspended, sheaf_sound_other:
      try restart()
      return nil
    default: throw CaptureError(.unplugged, "the device was disconnected")
    }
    let available = min(Int(clamping: status.available), capacity)
    let wanted = min(available, buffer.count / format.bytesPerFrame)
    guard wanted > 0 else { return nil }
    guard let count = try driver.read(wanted, into: buffer) else {
      try restart()
      return nil
    }
    guard count > 0 else { return nil }
    if shiftsSamples { shift(buffer, bytes: count * format.bytesPerFrame) }
    let stamp = Duration.seconds(status.seconds) + .nanoseconds(status.nanoseconds)
    let (time, lost) = clock.take(
      count, available: available, delay: Int(clamping: status.delay),
      stamp: stamp > .zero ? stamp : nil, now: now)
    return CapturedSound(bytes: count * format.bytesPerFrame, time: time, lost: lost)
  }

  private func restart() throws(CaptureError) {
    clock.interrupt()
    try driver.start()
  }

  /// Moves samples of 24 bits to the high bytes.
  private func shift(_ buffer: UnsafeMutableRawBufferPointer, bytes: Int) {
    for place in stride(from: 0, to: bytes, by: 4) {
      let sample = buffer.loadUnaligned(fromByteOffset: place, as: UInt32.self)
      buffer.storeBytes(of: sample.littleEndian << 8, toByteOffset: place, as: UInt32.self)
    }
  }

  /// Stops and closes the descriptor.
  public func close() {
    guard descriptor >= 0 else { return }
    if isStarted { driver.stop() }
    Glibc.close(descriptor)
    descriptor = -1
  }
}
