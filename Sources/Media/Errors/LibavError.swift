import CFFmpeg

/// A negative status of a libav call and its text.
struct LibavError: Error {
  let status: Int32
  let text: String

  init(status: Int32) {
    self.status = status
    let logged = LibavLog.takeLastError()
    var buffer = [CChar](repeating: 0, count: 128)
    av_strerror(status, &buffer, buffer.count)
    let general = String(
      decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    text = logged.map { "\(general): \($0)" } ?? general
  }

  var isEndOfFile: Bool { status == sheaf_averror_eof }
  var isTryAgain: Bool { status == sheaf_averror(EAGAIN) }
  var isInvalidData: Bool { status == sheaf_averror_invaliddata }
  /// Whether the data cannot be decoded, by libav itself or by a library that it uses (zlib, for example).
  var isDamage: Bool { isInvalidData || status == sheaf_averror_external }
  var isInvalidArgument: Bool { status == sheaf_averror(EINVAL) }
}

/// Returns the status of a libav call, or throws an error of `code` on `subject` if the call failed.
@discardableResult
func checked(
  _ status: Int32, _ code: MediaError.Code, _ problem: String, on subject: String,
  remedy: String? = nil
) throws(MediaError) -> Int32 {
  guard status < 0 else { return status }
  throw MediaError(
    status == sheaf_averror(ENOMEM) ? .outOfMemory : code, problem, on: subject, remedy: remedy,
    cause: LibavError(status: status).text)
}

/// The pointer that an allocation returned, or `outOfMemory`.
func allocated<Pointee>(
  _ pointer: UnsafeMutablePointer<Pointee>?, for subject: String
) throws(MediaError) -> UnsafeMutablePointer<Pointee> {
  guard let pointer else {
    throw MediaError(.outOfMemory, "cannot allocate memory", on: subject)
  }
  return pointer
}

/// The opaque pointer that an allocation returned, or `outOfMemory`.
func allocated(_ pointer: OpaquePointer?, for subject: String) throws(MediaError) -> OpaquePointer {
  guard let pointer else {
    throw MediaError(.outOfMemory, "cannot allocate memory", on: subject)
  }
  return pointer
}
