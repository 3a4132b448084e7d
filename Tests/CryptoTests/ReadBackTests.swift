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
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31 >> 3) }
    let path = folder.path("file")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    for fromDisk in [true, false] {
      let read = try ReadBack(of: path, fromDisk: fromDisk)
      #expect(read.content == WrittenContent.of(bytes))
      #expect(read.sha256 == Digest.of(bytes))
    }
  }

  @Test(arguments: [true, false])
  func `a file is read from the disk if requested, although it is in memory`(
    _ fromDisk: Bool
  ) throws {
    // Even where the temporary folder is in memory, this one is not.
    let folder = try TemporaryDirectory(in: "/var/tmp")
    let path = folder.path("file")
    try Data(repeating: 1, count: 3 << 20).write(to: URL(fileURLWithPath: path))
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    #expect(fsync(descriptor) == 0)
    let before = try Self.bytesReadFromDisk()
    _ = try ReadBack(of: path, fromDisk: fromDisk)
    #expect(try (Self.bytesReadFromDisk() - before >= 3 << 20) == fromDisk)
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
