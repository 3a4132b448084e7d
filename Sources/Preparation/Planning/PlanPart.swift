import Crypto
import FarmAPI
import Foundation

/// A part of a plan's file, with the digest of its bytes.
package struct PlanPart: Hashable, Codable, Sendable {
  /// The offset of its first byte.
  package var offset: Int64
  /// Its length in bytes.
  package var length: Int
  /// The SHA-256 of its bytes.
  package var digest: Digest

  package init(offset: Int64, length: Int, digest: Digest) {
    self.offset = offset
    self.length = length
    self.digest = digest
  }

  /// Reads the bytes and compares them with their digest. Bytes that do not match are read once more, from the disk.
  /// Blocks.
  ///
  /// - Throws: ``JobError`` with the code `damagedPlan` or `readFailed`.
  package func read(from path: String) throws(JobError) -> Data {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unread(errno) }
    defer { close(descriptor) }
    do throws(JobError) { return try read(descriptor) } catch {
      guard error.failure.code == .damagedPlan else { throw error }
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
      return try read(descriptor)
    }
  }

  private func read(_ descriptor: Int32) throws(JobError) -> Data {
    var data = Data(count: length)
    var filled = 0
    while filled < length {
      let count = data.withUnsafeMutableBytes {
        pread(
          descriptor, $0.baseAddress?.advanced(by: filled), length - filled, Int(offset) + filled)
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .unread(errno) }
      guard count > 0 else { throw .damagedPlan("it is cut short") }
      filled += count
    }
    guard Digest.of(data) == digest else { throw .damagedPlan("its bytes have changed") }
    return data
  }
}

/// A part of a plan's file that a media process reads.
package struct PlanSource: Hashable, Codable, Sendable {
  /// The plan's file.
  package var path: String
  /// The part of the file.
  package var part: PlanPart

  package init(path: String, part: PlanPart) {
    self.path = path
    self.part = part
  }

  /// The value that the part holds.
  package func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    try FarmCoding.decode(type, from: part.read(from: path))
  }
}

extension JobError {
  /// The error for a plan that is missing, or that the system cannot read, for example because too many files are open.
  fileprivate static func unread(_ number: Int32) -> JobError {
    guard !FileReadError.isAbsence(number) else { return damagedPlan("it is missing") }
    return JobError(
      .readFailed, "the job's plan cannot be read: \(String(cString: strerror(number)))")
  }

  /// The error for a plan whose file is missing or damaged.
  package static func damagedPlan(_ problem: String) -> JobError {
    JobError(.damagedPlan, "the job's plan cannot be used: \(problem): retry the job")
  }
}
