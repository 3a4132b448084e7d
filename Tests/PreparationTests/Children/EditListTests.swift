import FarmAPI
import Foundation
import Preparation
import Support
import Testing

/// Files whose edit lists would keep libav busy for minutes.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct EditListTests {
  private let scratch: TemporaryDirectory
  private let children = MediaChildren(limit: 2, executable: Program.mediaChildren)

  init() throws { scratch = try TemporaryDirectory() }

  private static func box(_ type: String, _ body: Data) -> Data {
    withUnsafeBytes(of: UInt32(body.count + 8).bigEndian) { Data($0) } + Data(type.utf8) + body
  }

  /// Many copies of a few bytes. Doubling them is fast even without optimization.
  private static func repeated(_ bytes: Data, _ count: Int) -> Data {
    var copies = bytes
    while copies.count < bytes.count * count { copies += copies }
    return Data(copies.prefix(bytes.count * count))
  }

  /// The boxes of a QuickTime file up to an edit list with `count` entries.
  struct EditListFile: Sendable {
    let count: Int
    /// The boxes around the list, the outermost first.
    var boxes = ["moov", "trak", "edts"]
    /// The number of entries in the header of the list; `count` if it is `nil`.
    var statedCount: Int?
    /// The number of empty boxes before these boxes.
    var emptyBoxCount = 0

    var bytes: Data {
      let entry = Data([0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0])
      let list =
        Data(count: 4) + withUnsafeBytes(of: UInt32(statedCount ?? count).bigEndian) { Data($0) }
        + repeated(entry, count)
      return box("ftyp", Data("qt  ".utf8) + Data(count: 4))
        + repeated(box("free", Data()), emptyBoxCount)
        + boxes.reversed().reduce(box("elst", list)) { box($1, $0) }
    }
  }

  /// A request to index a file with these bytes.
  private func request(_ bytes: Data) throws -> ProbeRequest {
    let path = scratch.path("edits.mov")
    try bytes.write(to: URL(fileURLWithPath: path))
    return ProbeRequest(path: path, name: "edits.mov")
  }

  /// Indexes a file, which must fail, and returns the error.
  private func failure(of bytes: Data) async throws -> JobError {
    let errors = try await children.index([request(bytes)], in: scratch.path, for: nil) { _, _ in
      Issue.record("there is an index")
    }
    return try #require(errors[0])
  }

  // Swift Testing would encode every byte of an argument of type `Data`.
  @Test(arguments: [
    EditListFile(count: 1_000_000), EditListFile(count: 1_000_000, statedCount: 1),
    EditListFile(count: 1_000_000, emptyBoxCount: 5000),
    EditListFile(count: 1_000_000, boxes: ["moov", "trak"]),
    EditListFile(count: 1_000_000, boxes: ["moov", "udta"]),
    EditListFile(count: 1_000_000, boxes: ["moov", "trak", "mdia", "minf", "stbl"]),
    EditListFile(count: 1_000_000, boxes: ["udta"]),
    EditListFile(count: 1_000_000, boxes: ["free", "trak", "edts"]),
  ])
  func `a file whose edit list has too many entries is refused and named`(
    contents: EditListFile
  ) async throws {
    let error = try await failure(of: contents.bytes)
    #expect(error.failure.code == "limit-reached")
    #expect(
      error.failure.message.contains("edits.mov: its edit list has \(contents.count) entries"))
    #expect(error.failure.message.contains("(--max-edit-list-entries)"))
  }

  @Test(arguments: [(10_001, true), (10_000, false)])
  func `a file is refused on the command line only beyond the limit of edits`(
    count: Int, isRefused: Bool
  ) async throws {
    let answers = try await children.indexes(of: [request(EditListFile(count: count).bytes)])
    let error = try #require(throws: JobError.self) { try answers[0].get() }
    #expect((error.failure.code == .limitReached) == isRefused, "\(error)")
    #expect(error.failure.message.contains("edits.mov"))
  }

  @Test func `a file with too many boxes is refused and named`() async throws {
    let error = try await failure(of: EditListFile(count: 1, emptyBoxCount: 1_100_000).bytes)
    #expect(
      error.failure.message.contains("the file has more than 1048576 boxes: edits.mov"), "\(error)")
  }

  @Test func `a file with a compressed movie box is refused and named`() async throws {
    let movie = Self.box("dcom", Data("zlib".utf8)) + Self.box("cmvd", Data(count: 40))
    let error = try await failure(
      of: EditListFile(count: 0).bytes + Self.box("moov", Self.box("cmov", movie)))
    #expect(
      error.failure.message.contains("the file's movie box is compressed (cmov): edits.mov"),
      "\(error)")
  }
}
