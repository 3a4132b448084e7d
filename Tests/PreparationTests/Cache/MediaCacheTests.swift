import Crypto
import Foundation
import Preparation
import Support
import Testing

@Suite(.mayBlock) struct MediaCacheTests {
  private let folder: TemporaryDirectory
  private let cache: MediaCache

  init() throws {
    folder = try TemporaryDirectory()
    cache = try #require(MediaCache(in: folder.path("cache")))
  }

  /// Calls `body` with the stamp of a new file, which it may write to.
  private func withFile<Value>(_ body: (String, () throws -> FileStamp) throws -> Value) throws
    -> Value
  {
    let path = folder.path("file")
    try Data("content".utf8).write(to: URL(fileURLWithPath: path))
    return try body(path) {
      let descriptor = open(path, O_RDONLY)
      defer { close(descriptor) }
      return try #require(FileStamp(of: descriptor))
    }
  }

  private static let second: Int64 = 1_000_000_000
  private let digest = Digest.of(Array("content".utf8))

  /// The time of a file's last change, in nanoseconds since 1970.
  private func lastChange(of path: String) throws -> Int64 {
    var information = stat()
    try #require(lstat(path, &information) == 0)
    return Int64(information.st_ctim.tv_sec) * Self.second + Int64(information.st_ctim.tv_nsec)
  }

  /// Waits until the next change of a file gets another time. The clock of most file systems ticks every few
  /// milliseconds.
  private func waitForTick(after path: String) throws {
    let (last, other) = (try lastChange(of: path), folder.path("other"))
    try Data().write(to: URL(fileURLWithPath: other))
    try blockUntil("the clock of the file system ticks") {
      utimes(other, nil)
      return try lastChange(of: other) > last
    }
  }

  @Test func `the digest of a file is known until the file is written to`() throws {
    try withFile { path, stamp in
      let before = try stamp()
      cache.note(digest, of: before, hashedSince: .max)
      #expect(cache.digest(of: try stamp()) == digest)
      try waitForTick(after: path)
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try file.write(contentsOf: Data("CONTENT".utf8))
      try file.close()
      #expect(cache.digest(of: try stamp()) == nil)
    }
  }

  @Test func `a rewritten file with its old time of modification is another file`() throws {
    try withFile { path, stamp in
      let before = try stamp()
      cache.note(digest, of: before, hashedSince: .max)
      try waitForTick(after: path)
      var information = stat()
      #expect(lstat(path, &information) == 0)
      try Data("CONTENT".utf8).write(to: URL(fileURLWithPath: path))
      let times = [information.st_atim, information.st_mtim]
      #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
      #expect(try stamp() != before)
      #expect(cache.digest(of: try stamp()) == nil)
    }
  }

  @Test func `the digest of a file that was written to just before it was hashed is not kept`()
    throws
  {
    try withFile { path, stamp in
      let before = try stamp()
      let last = try lastChange(of: path)
      // A clock that was set back must not make the file old.
      for start in [last, last + 2 * Self.second - 1, last - 60 * Self.second] {
        cache.note(digest, of: before, hashedSince: start)
        #expect(cache.digest(of: before) == nil)
      }
      cache.note(digest, of: before, hashedSince: last + 2 * Self.second)
      #expect(cache.digest(of: before) == digest)
    }
  }

  @Test(arguments: [
    "fuse.sshfs", "fuseblk", "nfs4", "cifs", "smb3", "9p", "vfat", "exfat", "virtiofs",
    "beegfs",
  ])
  func `a file system that may hide changes has no cached digests`(type: String) throws {
    try withFile { path, _ in
      let descriptor = open(path, O_RDONLY)
      defer { close(descriptor) }
      let (local, foreign) = try (
        #require(FileStamp(of: descriptor, on: FileSystem(rawValue: "ext4"))),
        #require(FileStamp(of: descriptor, on: FileSystem(rawValue: type)))
      )
      cache.note(digest, of: foreign, hashedSince: .max)
      #expect(cache.digest(of: local) == nil)
      cache.note(digest, of: local, hashedSince: .max)
      #expect(cache.digest(of: local) == digest)
      #expect(cache.digest(of: foreign) == nil)
    }
  }

  @Test func `the type of a file's file system is known`() throws {
    let descriptor = open("/proc/self/status", O_RDONLY)
    defer { close(descriptor) }
    #expect(FileSystem(of: descriptor)?.rawValue == "proc")
    #expect(FileSystem(of: -1) == nil)
  }

  /// Sets a file's time of modification to an hour and a second ago.
  private func age(_ path: String) {
    let past = timeval(tv_sec: time(nil) - 3601, tv_usec: 0)
    #expect(utimes(path, [past, past]) == 0)
  }

  @Test func `reading a digest makes its entry recent`() throws {
    try withFile { _, stamp in
      let before = try stamp()
      cache.note(digest, of: before, hashedSince: .max)
      let files = folder.path("cache/files")
      let entry = try "\(files)/\(FileManager.default.contentsOfDirectory(atPath: files)[0])"
      age(entry)
      #expect(cache.digest(of: before) == digest)
      var information = stat()
      #expect(lstat(entry, &information) == 0)
      // The kernel set both times at once.
      #expect(information.st_mtim.tv_sec == information.st_ctim.tv_sec)
      #expect(information.st_mtim.tv_nsec == information.st_ctim.tv_nsec)
    }
  }

  @Test func `the leftovers of killed commands are removed, and those of running ones stay`() throws
  {
    let (old, new) = (folder.path("cache/new-old"), folder.path("cache/new-new"))
    for path in [old, new] { try Data().write(to: URL(fileURLWithPath: path)) }
    age(old)
    let dead = folder.path("cache/sheaf-indexes-dead00")
    #expect(mkdir(dead, 0o700) == 0)
    let running = try cache.makeFolder()
    cache.tidy()
    let left = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path("cache")))
    let folders = left.filter { $0.hasPrefix("sheaf-indexes-") }
    #expect(folders.count == 1 && !folders.contains("sheaf-indexes-dead00"))
    #expect(left.subtracting(folders) == ["files", "blocks", "indexes", "new-new"])
    withExtendedLifetime(running) {}
  }

  @Test func `a forgotten or damaged entry is not used`() throws {
    try withFile { path, stamp in
      let before = try stamp()
      cache.note(digest, of: before, hashedSince: .max)
      let files = folder.path("cache/files")
      let entry = try #require(try FileManager.default.contentsOfDirectory(atPath: files).first)
      try FileDamage.flipBit(of: "\(files)/\(entry)", at: 0)
      #expect(cache.digest(of: before) == nil)
      cache.note(digest, of: before, hashedSince: .max)
      #expect(cache.digest(of: before) == digest)
      cache.forget(path)
      #expect(cache.digest(of: before) == nil)
    }
  }

  @Test func `block digests are found by their content, unless they are damaged`() throws {
    let list = BlockDigests.of(Array("content".utf8))
    cache.keep(list)
    let found = try #require(cache.blocks(of: list.content))
    #expect(found.list == list)
    #expect(found.file.digest == list.digest)
    try FileDamage.flipBit(of: found.file.path)
    #expect(cache.blocks(of: list.content) == nil)
  }

  @Test func `a folder that others can read is not used`() throws {
    let open = folder.path("open")
    #expect(mkdir(open, 0o755) == 0 && chmod(open, 0o755) == 0)
    #expect(MediaCache(in: open) == nil)
  }

  @Test func `XDG_CACHE_HOME names the folder, and HOME if that is not set`() throws {
    let (home, caches) = (folder.path("home"), folder.path("caches"))
    for path in [home, caches] { #expect(mkdir(path, 0o700) == 0) }
    #expect(
      MediaCache.standard(["XDG_CACHE_HOME": caches, "HOME": home])?.folder == "\(caches)/sheaf")
    #expect(
      MediaCache.standard(["XDG_CACHE_HOME": "relative", "HOME": home])?.folder
        == "\(home)/.cache/sheaf")
    #expect(MediaCache.standard([:]) == nil)
  }
}
