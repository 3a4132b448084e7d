import Capture
import FarmAPI
import Foundation
import Media
import Sheaf
import Threads
import Timeline

/// Capture devices whose descriptors the parent process has opened: a video device, a sound card, or both.
///
/// `@unchecked` is sound because `condition` is locked during every access to `attached`. Only the recording thread uses
/// the rest.
final class DeviceInput: CaptureInput, @unchecked Sendable {
  private enum Device {
    case video(VideoDevice)
    case sound(SoundDevice)

    var descriptor: Int32 {
      switch self {
      case .video(let device): device.descriptor
      case .sound(let device): device.descriptor
      }
    }
  }

  private let addresses: [CaptureDevice]
  private let settings: CaptureSettings
  private let condition = NSCondition()
  /// The descriptors that no device has taken yet.
  private var attached: [Int32] = []
  private var devices: [Device] = []
  private(set) var formats: [CapturedFormat] = []
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  /// When each device delivered something for the last time.
  private var lastDeliveries: [Duration] = []

  /// How long a device may deliver nothing.
  private static let longestSilence = Duration.seconds(10)
  /// How often a wait for a descriptor checks whether it should end.
  private static let pause: TimeInterval = 0.1

  init(_ addresses: [CaptureDevice], _ settings: CaptureSettings) {
    self.addresses = addresses
    self.settings = settings
  }

  deinit { close() }

  /// Takes ownership of the descriptor of the next device. Can be called on any thread.
  func attach(_ descriptor: Int32) {
    condition.lock()
    attached.append(descriptor)
    condition.broadcast()
    condition.unlock()
  }

  /// Opens all devices before it starts the first one, so that they start together.
  ///
  /// - Throws: ``JobError``.
  func open(while isWanted: () -> Bool) throws -> Bool {
    for address in addresses {
      guard let descriptor = next(while: isWanted) else { return false }
      try naming(address) { () throws(CaptureError) in
        switch address {
        case .video: try add(VideoDevice(taking: descriptor, VideoCaptureRequest(settings)))
        case .sound:
          try add(
            SoundDevice(
              taking: descriptor,
              SoundCaptureRequest(sampleRate: settings.sampleRate, channels: settings.channels)))
        }
      }
    }
    for (address, device) in zip(addresses, devices) {
      try naming(address) { () throws(CaptureError) in
        switch device {
        case .video(let device): try device.start()
        case .sound(let device): try device.start()
        }
      }
    }
    lastDeliveries = devices.map { _ in MonotonicClock.now }
    return true
  }

  private func next(while isWanted: () -> Bool) -> Int32? {
    condition.lock()
    defer { condition.unlock() }
    while attached.isEmpty {
      guard isWanted() else { return nil }
      _ = condition.wait(until: Date(timeIntervalSinceNow: Self.pause))
    }
    return attached.removeFirst()
  }

  private func add(_ device: VideoDevice) {
    formats.append(.pictures(CapturedFormat.Pictures(device.format)))
    devices.append(.video(device))
  }

  private func add(_ device: SoundDevice) {
    let format = device.format
    formats.append(
      .sound(
        CapturedFormat.Sound(
          codec: "pcm_\(format.sample.rawValue)", sampleRate: format.sampleRate,
          channels: format.channels)))
    devices.append(.sound(device))
  }

  /// Adds the device to an error.
  private func naming<Result>(
    _ address: CaptureDevice, _ body: () throws(CaptureError) -> Result
  ) throws(JobError) -> Result {
    do {
      return try body()
    } catch {
      throw failure(error, of: address)
    }
  }

  private func failure(_ error: CaptureError, of address: CaptureDevice) -> JobError {
    JobError(
      error.code == .unsupported
        ? FailureCode(rawValue: MediaError.Code.unsupportedFormat.wireName) : .sourceUnreachable,
      "cannot capture from the source: \(address): \(error)")
  }

  /// Waits for the devices.
  ///
  /// - Throws: ``JobError`` if a device no longer captures; what `take` throws.
  func receive(within milliseconds: Int, _ take: (CapturedSample) throws -> Void) throws {
    var pollers = devices.map {
      pollfd(fd: $0.descriptor, events: Int16(POLLIN | POLLPRI), revents: 0)
    }
    _ = poll(&pollers, nfds_t(pollers.count), Int32(milliseconds))
    for (index, device) in devices.enumerated() {
      do {
        switch device {
        case .video(let device): while try picture(from: device, index, take) {}
        case .sound(let device): while try sound(from: device, index, take) {}
        }
        guard MonotonicClock.now - lastDeliveries[index] < Self.longestSilence else {
          throw JobError(
            .sourceUnreachable,
            "cannot capture from the source: \(addresses[index]): it delivers nothing: check that it "
              + "works with other programs, and try another USB port or a smaller size")
        }
      } catch let error as CaptureError {
        throw failure(error, of: addresses[index])
      }
    }
  }

  private func picture(
    from device: VideoDevice, _ stream: Int, _ take: (CapturedSample) throws -> Void
  ) throws -> Bool {
    let format = device.format
    let interval: Duration =
      format.frameInterval.map { .seconds(1) * Int($0.numerator) / Int($0.denominator) } ?? .zero
    return try device.next { picture in
      lastDeliveries[stream] = MonotonicClock.now
      return try format.withoutPadding(picture.bytes) { bytes in
        try take(
          CapturedSample(
            stream: stream, bytes: bytes, time: picture.time, duration: interval,
            isDamaged: picture.isDamaged, followsLoss: picture.lost > 0))
      }
    } != nil
  }

  private func sound(
    from device: SoundDevice, _ stream: Int, _ take: (CapturedSample) throws -> Void
  ) throws -> Bool {
    guard let sound = try buffer.withUnsafeMutableBytes({ try device.next(into: $0) }) else {
      return false
    }
    lastDeliveries[stream] = MonotonicClock.now
    let frames = sound.bytes / device.format.bytesPerFrame
    try buffer.withUnsafeBytes { bytes in
      try take(
        CapturedSample(
          stream: stream, bytes: UnsafeRawBufferPointer(rebasing: bytes[..<sound.bytes]),
          time: sound.time, duration: .seconds(1) * frames / device.format.sampleRate,
          followsLoss: sound.lost > 0))
    }
    return true
  }

  func close() {
    for device in devices {
      switch device {
      case .video(let device): device.close()
      case .sound(let device): device.close()
      }
    }
    condition.lock()
    for descriptor in attached { Foundation.close(descriptor) }
    attached = []
    condition.unlock()
  }
}

extension VideoCaptureRequest {
  fileprivate init(_ settings: CaptureSettings) {
    self.init(
      width: settings.size?.width, height: settings.size?.height,
      framesPerSecond: settings.frameRate.flatMap {
        Fraction(reducing: UInt64(clamping: $0.numerator), by: UInt64(clamping: $0.denominator))
      })
  }
}

extension CapturedFormat.Pictures {
  fileprivate init(_ format: CapturedVideoFormat) {
    var pixelFormat: String?
    let codec: String
    switch format.coding {
    case .h264: codec = "h264"
    case .jpeg: codec = "mjpeg"
    case .raw(let layout): (codec, pixelFormat) = ("rawvideo", layout.rawValue)
    }
    let matrix: String? =
      switch format.matrix {
      case .bt601: "smpte170m"
      case .bt709: "bt709"
      case .bt2020: "bt2020nc"
      case .unknown: nil
      }
    let isRGB = if case .raw(let layout) = format.coding { layout.isRGB } else { false }
    let field: VideoSettings.Field? =
      switch format.fieldOrder {
      case .progressive: nil
      case .topFirst: .top
      case .bottomFirst: .bottom
      }
    self.init(
      codec: codec, pixelFormat: pixelFormat,
      size: PixelSize(width: format.width, height: format.height),
      frameRate: format.frameInterval.flatMap {
        try? RationalTime(Int64($0.denominator), Int64($0.numerator))
      },
      firstField: field,
      color: ColorTags(
        primaries: nil, transfer: nil, matrix: isRGB ? nil : matrix,
        range: format.range == .full ? "pc" : "tv"))
  }
}

extension CapturedVideoFormat {
  /// The rows of a plane of a raw picture.
  private struct Rows {
    /// The bytes from one row to the next.
    let stride: Int
    /// The bytes of a row without padding.
    let length: Int
    let count: Int
  }

  /// Lends the bytes of a picture in which raw rows follow one another without gaps.
  /// The width and the height are even.
  fileprivate func withoutPadding<Result>(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    guard case .raw(let layout) = coding, bytes.count >= size else { return try body(bytes) }
    let planes = planes(of: layout)
    guard planes.contains(where: { $0.stride != $0.length }) else {
      return try body(UnsafeRawBufferPointer(rebasing: bytes[..<size]))
    }
    var tight: [UInt8] = []
    tight.reserveCapacity(planes.reduce(0) { $0 + $1.length * $1.count })
    var offset = 0
    for plane in planes {
      for _ in 0..<plane.count {
        tight += bytes[offset..<offset + plane.length]
        offset += plane.stride
      }
    }
    return try tight.withUnsafeBytes(body)
  }

  private func planes(of layout: RawLayout) -> [Rows] {
    let line = layout.bytesPerLine(width: width)
    let luma = Rows(stride: bytesPerLine, length: line, count: height)
    let (halfWidth, halfHeight) = (width / 2, height / 2)
    switch layout {
    case .nv12, .nv21, .p010le:
      return [luma, Rows(stride: bytesPerLine, length: line, count: halfHeight)]
    case .nv16: return [luma, luma]
    case .yuv420p, .yuv422p:
      let rows = layout == .yuv420p ? halfHeight : height
      let chroma = Rows(stride: bytesPerLine / 2, length: halfWidth, count: rows)
      return [luma, chroma, chroma]
    default: return [luma]
    }
  }
}
