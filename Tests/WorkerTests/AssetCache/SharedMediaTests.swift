import Crypto
import FarmAPI
import Foundation
import Media
import Support
import Synchronization
import Testing
import sheaf_worker

@Suite(.mayBlock) struct SharedMediaTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    for directory in ["root", "roots"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(directory), withIntermediateDirectories: false)
      try Data("12345".utf8).write(to: URL(fileURLWithPath: folder.path("\(directory)/a")))
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("root/link"), withDestinationPath: folder.path("roots/a"))
  }

  private func isShared(_ path: String?, size: Int64 = 5) -> Bool {
    SharedMedia(roots: [folder.path("root")]).file(
      AssetReference(digest: Digest.of([1]), byteCount: size, path: path.map(folder.path))) != nil
  }

  @Test func `a file under a root is read in place`() {
    #expect(isShared("root/a"))
  }

  @Test(arguments: [nil, "root/gone", "roots/a", "root/../roots/a", "root/link"])
  func `a file outside the roots is not read in place`(path: String?) {
    #expect(!isShared(path))
  }

  @Test func `a file of another size is not used`() {
    #expect(!isShared("root/a", size: 6))
  }

  @Test func `a file that was rejected is not used again until it changes`() throws {
    let reasons = Mutex<[String]>([])
    let shared = SharedMedia(roots: [folder.path("root")]) { _, reason in
      reasons.withLock { $0.append(reason) }
    }
    let path = folder.path("root/a")
    let (asset, other) = (
      AssetReference(digest: Digest.of([1]), byteCount: 5, path: path),
      AssetReference(digest: Digest.of([2]), byteCount: 5, path: path)
    )
    let file = try #require(shared.file(asset))
    for _ in 0..<2 { shared.reject(file, of: asset, because: "it has other bytes") }
    #expect(shared.file(asset) == nil)
    #expect(shared.file(other) != nil)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("12345".utf8))
    try Data("54321".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    #expect(shared.file(asset) != nil)
    #expect(reasons.withLock { $0 } == ["it has other bytes"])
  }

  @Test func `a file of another size is reported once`() {
    let reasons = Mutex<[String]>([])
    let shared = SharedMedia(roots: [folder.path("root")]) { _, reason in
      reasons.withLock { $0.append(reason) }
    }
    let asset = AssetReference(digest: Digest.of([1]), byteCount: 6, path: folder.path("root/a"))
    for _ in 0..<2 { #expect(shared.file(asset) == nil) }
    #expect(reasons.withLock { $0 } == ["it has 5 bytes instead of 6"])
  }

  @Test func `a folder that is replaced by a link after the check is noticed`() throws {
    let path = folder.path("root/a")
    #expect(throws: Never.self) { _ = try FileByteSource(path: path, throughLinks: false) }
    try FileManager.default.moveItem(atPath: folder.path("root"), toPath: folder.path("moved"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("root"), withDestinationPath: folder.path("roots"))
    #expect(throws: MediaError.self) { _ = try FileByteSource(path: path, throughLinks: false) }
    #expect(throws: Never.self) { _ = try FileByteSource(path: path) }
  }
}
