import CCapture
import Glibc

/// The ioctls of one PCM device.
struct SoundDriver {
  let descriptor: Int32

  /// Makes the descriptor one that does not wait.
  ///
  /// - Throws: ``CaptureError`` if it does not belong to a device that captures sound.
  init(_ descriptor: Int32) throws(CaptureError) {
    self.descriptor = descriptor
    var captures = false
    guard sheaf_sound_query(descriptor, &captures) == 0 else {
      let number = errno
      guard [ENOTTY, EINVAL].contains(number) else {
        throw .system("the device does not answer", number: number)
      }
      throw CaptureError(.unsupported, "this is not a sound device", number: number)
    }
    guard captures else {
      throw CaptureError(
        .unsupported, "this device plays sound: use one whose name ends in c, such as pcmC0D0c")
    }
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) >= 0 else {
      throw .system("the device cannot be set up", number: errno)
    }
  }

  /// The part of a set of configurations that the device supports; `nil` if it is empty.
  func refine(_ space: sheaf_sound_space) throws(CaptureError) -> sheaf_sound_space? {
    var refined = space
    guard sheaf_sound_refine(descriptor, &refined) == 0 else {
      if errno == EINVAL { return nil }
      throw .system("the device does not state what it supports", number: errno)
    }
    return refined
  }

  /// Applies a configuration of a set.
  func configure(_ space: sheaf_sound_space) throws(CaptureError) -> sheaf_sound_setup {
    var (setup, space) = (sheaf_sound_setup(), space)
    guard sheaf_sound_configure(descriptor, &space, &setup) == 0 else {
      throw .system("the device cannot be set up", number: errno)
    }
    return setup
  }

  /// Starts from any state, without what was captured before.
  func start() throws(CaptureError) {
    guard sheaf_sound_prepare(descriptor) == 0, sheaf_sound_start(descriptor) == 0 else {
      throw .system("the device does not start", number: errno)
    }
  }

  func stop() { _ = sheaf_sound_drop(descriptor) }

  func status() throws(CaptureError) -> sheaf_sound_status {
    var status = sheaf_sound_status()
    guard sheaf_sound_query_status(descriptor, &status) == 0 else {
      throw .system("the device does not state its progress", number: errno)
    }
    return status
  }

  /// Reads frames.
  ///
  /// - Returns: how many; `nil` if the device has stopped.
  func read(
    _ frames: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(CaptureError) -> Int? {
    let count = sheaf_sound_read(descriptor, buffer.baseAddress, UInt(frames))
    guard count < 0 else { return min(count, frames) }
    switch errno {
    case EAGAIN, EINTR: return 0
    case EPIPE, ESTRPIPE, EBADFD: return nil
    default: throw .system("the device does not deliver sound", number: errno)
    }
  }
}
