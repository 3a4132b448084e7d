import CoordinatorSupport
import FarmAPI
import Foundation
import Preparation
import Support
import Testing

/// Files whose edit lists would keep libav busy for minutes.
@Suite(.mayBlock) struct EditListTests {
  /// The boxes of a QuickTime file up to an edit list with `count` entries.
  private static func file(_ count: Int) -> Data {
    func box(_ type: String, _ body: Data) -> Data {
      withUnsafeBytes(of: UInt32(body.count + 8).bigEndian) { Data($0) } + Data(type.utf8) + body
    }
    let entry = Data([0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0])
    let list =
      Data(count: 4) + withUnsafeBytes(of: UInt32(count).bigEndian) { Data($0) }
      + Data(repeatElement(entry, count: count).joined())
    return box("ftyp", Data("qt  ".utf8) + Data(count: 4))
      + box("moov", box("trak", box("edts", box("elst", list))))
  }

  @Test(arguments: [(10_001, true), (1_000_000, true), (10_000, false)])
  func `a file whose edit list has too many entries is refused and named`(
    count: Int, isRefused: Bool
  ) async throws {
    let scratch = try TemporaryDirectory()
    let path = scratch.path("edits.mov")
    try Self.file(count).write(to: URL(fileURLWithPath: path))
    let children = MediaChildren(limit: 1, executable: Program.mediaChildren)
    let answers = try await children.indexes(of: [ProbeRequest(path: path, name: "edits.mov")])
    let error = try #require(throws: JobError.self) { try answers[0].get() }
    #expect((error.failure.code == "limit-reached") == isRefused, "\(error)")
    #expect(error.failure.message.contains("edits.mov"))
  }
}
