import Crypto
import FarmAPI
import Foundation

/// A file on the coordinator's disk that a media process reads whole.
enum InputFile {
  /// Reads a whole file into memory. It is not mapped, because the kernel may read a mapped page from the disk again
  /// after the bytes were compared with their digest. Blocks.
  ///
  /// - Parameters:
  ///   - subject: the content of the file, for messages, e.g. `the job's project`.
  ///   - missing: the error to throw if no file is at the path.
  /// - Throws: `missing`, or ``JobError`` with the code `readFailed` if the system cannot read the file.
  static func read(
    _ path: String, called subject: String, missing: JobError
  ) throws(JobError) -> Data {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let number = errno
      throw FileReadError.isAbsence(number) ? missing : unreadable(subject, number)
    }
    defer { close(descriptor) }
    var data = Data()
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_size > 0 {
      data.reserveCapacity(Int(status.st_size))
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
      if count == 0 { return data }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        let number = errno
        throw FileReadError.isAbsence(number) ? missing : unreadable(subject, number)
      }
      data.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  private static func unreadable(_ subject: String, _ number: Int32) -> JobError {
    JobError(
      .readFailed, "\(subject) cannot be read: \(String(cString: strerror(number)))")
  }
}
