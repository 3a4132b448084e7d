import Crypto
import Foundation
import Support
import Testing

@Suite(.mayBlock) struct ReadBackTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Lengths around the ends of pages and pieces.
  @Test(arguments: [0, 1, 4095, 4096, 1 << 20, (1 << 20) + 1, 5 << 20, (9 << 20) + 4097])
  func `a file has the same content from the disk and from memory`(_ count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 % 251) }
    let path = folder.path("file")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    for fromDisk in [true, false] {
      let read = try ReadBack(of: path, fromDisk: fromDisk)
      #expect(read.content == WrittenContent.of(bytes))
      #expect(read.sha256 == Digest.of(bytes))
    }
  }

  /// A folder on a disk, even where the temporary folder is in memory.
  private static let onDisk = "/var/tmp"

  /// Whether the folder is on a block device. File systems in memory have none, and the major number 0.
  private static var hasDisk: Bool {
    var facts = stat()
    return stat(onDisk, &facts) == 0 && facts.st_dev >> 8 & 0xfff != 0
  }

  @Test(.enabled(if: hasDisk), arguments: [true, false])
  func `a file is read from the disk if requested, although it is in memory`(
    _ fromDisk: Bool
  ) throws {
    let folder = try TemporaryDirectory(in: Self.onDisk)
    let path = folder.path("file")
    // A file system must not compress them.
    var random = SystemRandomNumberGenerator()
    let words = (0..<(3 << 17)).map { _ in random.next() }
    try words.withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: path)) }
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    #expect(fsync(descriptor) == 0)
    let before = try Self.bytesReadFromDisk()
    _ = try ReadBack(of: path, fromDisk: fromDisk)
    let read = try Self.bytesReadFromDisk() - before
    // Pages that something else uses at this moment stay in memory.
    #expect(fromDisk ? read >= 2 << 20 : read < 1 << 20)
  }

  /// The number of bytes that disks have read for the calling thread.
  private static func bytesReadFromDisk() throws -> Int {
    let facts = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
    let line = try #require(facts.split(separator: "\n").first { $0.hasPrefix("read_bytes: ") })
    return try #require(Int(line.dropFirst("read_bytes: ".count)))
  }

  @Test func `a file that is missing is an error`() throws {
    let error = try #require(throws: FileReadError.self) {
      try ReadBack(of: folder.path("film.mp4"), fromDisk: true)
    }
    #expect(error.path == folder.path("film.mp4"))
    #expect(error.number == ENOENT)
  }
}
