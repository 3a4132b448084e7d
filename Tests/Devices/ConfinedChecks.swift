import Capture
import Confinement
import Processes

/// Checks in the sandbox of a process that captures, which opens nothing itself.
enum ConfinedChecks {
  static let all: [(String, @Sendable () throws -> Void)] = [
    ("a confined process captures from descriptors that it was given", capture)
  ]

  private static func capture() throws {
    let (camera, card) = (
      try Check.open("/dev/video0"), try Check.open("/dev/snd/pcmC0D1c")
    )
    let sandbox = Sandbox(
      limits: ResourceLimits(memory: 4 << 30, fileSize: 0, processorTime: 60, openFiles: 64),
      ioctls: VideoDevice.requests + SoundDevice.requests)
    print("  \(try sandbox.enter())")
    try Check.require(
      (try? Check.open("/dev/video3")) == nil, "a confined process opens a device")
    let video = try VideoDevice(taking: camera)
    let sound = try SoundDevice(taking: card)
    try video.start()
    try sound.start()
    var (pictures, bytes) = (0, 0)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    let end = Check.now + .seconds(3)
    while Check.now < end {
      Check.wait(for: video.descriptor)
      while try video.next({ _ in }) != nil { pictures += 1 }
      while let piece = try sound.next(into: buffer) { bytes += piece.bytes }
    }
    print("  \(pictures) pictures, \(bytes / sound.format.bytesPerFrame) frames of sound")
    try Check.require(pictures > 30, "there are too few pictures")
    try Check.require(bytes / sound.format.bytesPerFrame > 48_000, "there is too little sound")
  }
}
