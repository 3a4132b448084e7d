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

  /// The kernel's own files refuse to be read past the page cache.
  private static let refusing = "/sys/kernel/btf/vmlinux"

  @Test(.enabled(if: FileManager.default.isReadableFile(atPath: refusing)))
  func `a file that cannot be read past the page cache is read through it`() throws {
    let read = try ReadBack(of: Self.refusing, fromDisk: true)
    #expect(try read.sha256 == Digest.of(file: Self.refusing))
  }

  @Test(arguments: [true, false])
  func `a file that is read from the disk takes no room in memory`(_ fromDisk: Bool) throws {
    // Even where the temporary folder is in memory, this one is not.
    let folder = try TemporaryDirectory(in: "/var/tmp")
    let path = folder.path("file")
    try Data(repeating: 1, count: 3 << 20).write(to: URL(fileURLWithPath: path))
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    #expect(fsync(descriptor) == 0)
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    #expect(try Self.pagesInMemory(of: descriptor, 3 << 20) == 0)
    _ = try ReadBack(of: path, fromDisk: fromDisk)
    #expect(try (Self.pagesInMemory(of: descriptor, 3 << 20) == 0) == fromDisk)
  }

  private static func pagesInMemory(of descriptor: Int32, _ byteCount: Int) throws -> Int {
    let mapping = try #require(mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0))
    defer { munmap(mapping, byteCount) }
    var pages = [UInt8](repeating: 0, count: byteCount / sysconf(Int32(_SC_PAGESIZE)))
    try #require(mincore(mapping, byteCount, &pages) == 0)
    return pages.count { $0 & 1 == 1 }
  }

  @Test func `a file that is missing is an error`() throws {
    let error = try #require(throws: FileReadError.self) {
      try ReadBack(of: folder.path("film.mp4"), fromDisk: true)
    }
    #expect(error.path == folder.path("film.mp4"))
    #expect(error.number == ENOENT)
  }
}
