import Crypto
import FarmAPI
import Foundation
import Media
import Support
import Testing
import sheaf_worker

struct SharedMediaTests {
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

  @Test func `a file under a root is read where it is`() {
    #expect(isShared("root/a"))
  }

  @Test(arguments: [nil, "root/gone", "roots/a", "root/../roots/a", "root/link"])
  func `a file that is not under a root is not`(path: String?) {
    #expect(!isShared(path))
  }

  @Test func `a file of another size is not the asset`() {
    #expect(!isShared("root/a", size: 6))
  }

  @Test func `a folder that gave way to a link after it was looked at is noticed`() throws {
    let path = folder.path("root/a")
    #expect(throws: Never.self) { _ = try FileByteSource(path: path, throughLinks: false) }
    try FileManager.default.moveItem(atPath: folder.path("root"), toPath: folder.path("moved"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("root"), withDestinationPath: folder.path("roots"))
    #expect(throws: MediaError.self) { _ = try FileByteSource(path: path, throughLinks: false) }
    #expect(throws: Never.self) { _ = try FileByteSource(path: path) }
  }
}
