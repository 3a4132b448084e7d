import CoordinatorSupport
import Foundation
import Support
import Synchronization
import Testing
import sheaf_coordinator

@Suite(.mayBlock, .timeLimit(.minutes(15))) struct LentFileTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test func `a lent file takes no room, and stays in the store when it is removed`() throws {
    let (chunk, lent) = (folder.path("chunk"), folder.path("lent"))
    try Data("chunk".utf8).write(to: URL(fileURLWithPath: chunk))
    #expect(try LentFile.make(of: chunk, at: lent))
    let files = try [chunk, lent].map { path in
      try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    }
    #expect(files[0] == files[1])
    unlink(lent)
    #expect(try Data(contentsOf: URL(fileURLWithPath: chunk)) == Data("chunk".utf8))
  }

  @Test func `a missing file is not lent`() throws {
    #expect(try !LentFile.make(of: folder.path("none"), at: folder.path("lent")))
    #expect(!FileManager.default.fileExists(atPath: folder.path("lent")))
  }

  @Test func `a file can be lent while equal ones replace it`() throws {
    let (chunk, lent) = (folder.path("chunk"), folder.path("lent"))
    try Data("chunk".utf8).write(to: URL(fileURLWithPath: chunk))
    let isOver = Atomic(false)
    let ended = DispatchSemaphore(value: 0)
    let delivered = folder.path("delivered")
    Thread.detachNewThread {
      while !isOver.load(ordering: .relaxed) {
        close(open(delivered, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
        rename(delivered, chunk)
      }
      ended.signal()
    }
    defer {
      isOver.store(true, ordering: .relaxed)
      ended.wait()
    }
    for _ in 0..<20_000 {
      #expect(try LentFile.make(of: chunk, at: lent))
      unlink(lent)
    }
  }

  @Test(.enabled(if: SmallDisk.isAvailable, "needs root, to mount a tmpfs"))
  func `a file that cannot be hard-linked is copied`() throws {
    let disk = try SmallDisk(mebibytes: 1)
    let (chunk, lent) = (disk.directory.path("chunk"), folder.path("lent"))
    try Data("chunk".utf8).write(to: URL(fileURLWithPath: chunk))
    #expect(try LentFile.make(of: chunk, at: lent))
    #expect(try Data(contentsOf: URL(fileURLWithPath: lent)) == Data("chunk".utf8))
    #expect(try FileManager.default.attributesOfItem(atPath: chunk)[.referenceCount] as? Int == 1)
  }
}
