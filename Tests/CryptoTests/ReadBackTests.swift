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

  @Test func `a file in memory, where nothing can be read past the page cache, has its content`()
    throws
  {
    let path = "/dev/shm/sheaf-read-back-\(UUID().uuidString)"
    defer { unlink(path) }
    let bytes = [UInt8](repeating: 7, count: 3_000_001)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let read = try ReadBack(of: path, fromDisk: true)
    #expect(read.content == WrittenContent.of(bytes))
    #expect(read.sha256 == Digest.of(bytes))
  }

  @Test func `a file that is missing is an error`() throws {
    let error = try #require(throws: FileReadError.self) {
      try ReadBack(of: folder.path("film.mp4"), fromDisk: true)
    }
    #expect(error.path == folder.path("film.mp4"))
    #expect(error.number == ENOENT)
  }
}
