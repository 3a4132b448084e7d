import Crypto
import Foundation
import Support
import Testing

/// Files that are hashed while they are written.
@Suite(.mayBlock) struct HashedFileTests {
  private let path = FileManager.default.temporaryDirectory
    .appendingPathComponent("sheaf-hashed-\(UUID().uuidString)").path

  private static let parts = ["the first half, ", "the second half"].map { Data($0.utf8) }

  @Test func `a file's digest is that of the bytes as they were written`() throws {
    defer { unlink(path) }
    let file = try HashedFile(path)
    try file.write(Self.parts[0])
    let disk = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try disk.write(contentsOf: [UInt8(ascii: "T")])
    try disk.close()
    try file.write(Self.parts[1])
    #expect(file.byteCount == 31)
    #expect(file.finish() == Digest.of(Self.parts[0] + Self.parts[1]))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).starts(with: "The first".utf8))
  }

  @Test(arguments: [false, true])
  func `a file that is kept is hashed from its beginning`(hashesBlocks: Bool) throws {
    defer { unlink(path) }
    try Self.parts[0].write(to: URL(fileURLWithPath: path))
    let file = try HashedFile(path, keeping: true, hashingBlocks: hashesBlocks)
    try file.hashContents()
    try file.write(Self.parts[1])
    #expect(file.byteCount == 31)
    #expect(file.finish() == Digest.of(Self.parts[0] + Self.parts[1]))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Self.parts[0] + Self.parts[1])
  }

  @Test func `a file has block digests if they are requested`() throws {
    defer { unlink(path) }
    let bytes = Data(repeating: 7, count: BlockDigests.usualBlockSize + 1)
    let plain = try HashedFile(path)
    try plain.write(bytes)
    #expect(plain.finishBlocks() == nil)
    let file = try HashedFile(path, hashingBlocks: true)
    try file.write(bytes)
    #expect(file.finishBlocks() == BlockDigests.of(bytes))
  }

  @Test func `a full disk is distinguished, and nothing counts as written`() throws {
    let file = try HashedFile("/dev/full")
    let error = try #require(throws: FileWriteError.self) { try file.write(Self.parts[0]) }
    #expect(error == FileWriteError(path: "/dev/full", number: ENOSPC))
    #expect(error.isDiskFull)
    #expect(file.byteCount == 0)
    #expect(file.finish() == Digest.of(Data()))
  }

  @Test func `a directory cannot be opened as a file to write`() throws {
    let directory = FileManager.default.temporaryDirectory.path
    let error = try #require(throws: FileWriteError.self) { _ = try HashedFile(directory) }
    #expect(error == FileWriteError(path: directory, number: EISDIR))
    #expect(!error.isDiskFull)
  }
}
