import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Preparation
import Support
import Testing
import sheaf_coordinator

@Suite(.mayBlock) struct KnownFileTests {
  private func file(_ number: Int, modified: Int64 = 0, changed: Int64 = 0) -> FileStamp {
    FileStamp(
      device: 1, inode: UInt64(number), byteCount: 10, modified: modified, changed: changed)
  }

  private func digest(_ number: Int) -> Digest { Digest.of(Array("\(number)".utf8)) }

  @Test func `a file is known until it or its attributes change`() {
    var files = KnownFiles()
    files.insert(file(1), digest(1), hashedSince: .max)
    #expect(files.digest(of: file(1)) == digest(1))
    #expect(files.digest(of: file(1, modified: 1)) == nil)
    // Programs can set back the time at which a file was modified, but not the other one.
    #expect(files.digest(of: file(1, changed: 1)) == nil)
    #expect(files.digest(of: file(2)) == nil)
  }

  @Test func `a file that was hashed just after it was written is hashed again later`() {
    let second: Int64 = 1_000_000_000
    var files = KnownFiles()
    let fresh = file(1, modified: 100 * second, changed: 100 * second)
    files.insert(fresh, digest(1), hashedSince: 101 * second)
    #expect(files.digest(of: fresh, at: 101 * second) == digest(1))
    #expect(files.digest(of: fresh, at: 102 * second) == nil)
    #expect(files.digest(of: fresh, at: nil) == digest(1))
    // Programs can set the time of modification, also to one in the future.
    let odd = file(2, modified: 1000 * second, changed: 100 * second)
    files.insert(odd, digest(2), hashedSince: 101 * second)
    #expect(files.digest(of: odd, at: 102 * second) == nil)
    files.insert(fresh, digest(1), hashedSince: 102 * second)
    #expect(files.digest(of: fresh, at: 500 * second) == digest(1))
  }

  @Test func `the number of known files is limited, and the latest ones are kept`() {
    var files = KnownFiles(limit: 100)
    for number in 0..<1000 {
      files.insert(file(number), digest(number), hashedSince: .max)
      #expect(files.count <= 100)
    }
    for number in 950..<1000 { #expect(files.digest(of: file(number)) == digest(number)) }
    #expect(files.digest(of: file(0)) == nil)
  }

  @Test func `a file that is looked up stays known`() {
    var files = KnownFiles(limit: 10)
    files.insert(file(0), digest(0), hashedSince: .max)
    for number in 1..<100 {
      files.insert(file(number), digest(number), hashedSince: .max)
      #expect(files.digest(of: file(0)) == digest(0))
    }
  }

  /// Submits a job with a file under a media root, and waits until it is planned.
  private func plan(_ path: String, as bytes: Data, on farm: TestFarm) async throws {
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project,
      assets: [
        "a.mp4": AssetReference(
          digest: Digest.of(bytes), byteCount: Int64(bytes.count), path: path)
      ])
    try #require(try await farm.post("/jobs", submission).status == .created)
    _ = try await farm.lease(try await farm.register())
  }

  @Test(.timeLimit(.minutes(15)))
  func `the digest of a hashed file is stored for the next start`() async throws {
    // Written long enough ago that a further write would change its times.
    let path = #filePath
    let bytes = try Data(contentsOf: URL(filePath: path))
    let stamp = try #require(FileStamp(ofFile: path))
    let root = URL(filePath: path).deletingLastPathComponent().path
    let farm = try await TestFarm(mediaRoots: [root])
    try await plan(path, as: bytes, on: farm)
    let cache = try #require(MediaCache(in: farm.directory.path("data/known")))
    #expect(cache.digest(of: stamp) == (stamp.recordsChanges ? Digest.of(bytes) : nil))
  }

  @Test(.timeLimit(.minutes(15)))
  func `a file whose digest is stored is not hashed again`() async throws {
    let (folder, media) = (try TemporaryDirectory(), try TemporaryDirectory())
    let (path, bytes) = (media.path("a.mp4"), Data("a clip".utf8))
    // The file has other bytes than its stored digest says, which would be noticed if it was hashed.
    try Data("b clip".utf8).write(to: URL(filePath: path))
    let stamp = try #require(FileStamp(ofFile: path))
    try FileManager.default.createDirectory(
      atPath: folder.path("data"), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    let cache = try #require(MediaCache(in: folder.path("data/known")))
    // On other file systems, every start hashes the file.
    guard stamp.recordsChanges else { return }
    cache.note(Digest.of(bytes), of: stamp, hashedSince: .max)
    let original = folder.path("original")
    try bytes.write(to: URL(filePath: original))
    cache.keep(try BlockDigests.of(file: original))
    let farm = try await TestFarm(in: folder, mediaRoots: [media.path])
    try await plan(path, as: bytes, on: farm)
  }
}
