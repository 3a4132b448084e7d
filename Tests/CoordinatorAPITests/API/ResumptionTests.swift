import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// Resumed uploads, whose existing bytes have to be read first.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ResumptionTests {
  /// Reading this many bytes takes longer than the suite's time limit.
  private static let byteCount: Int64 = 1 << 39

  /// Resumes an upload by sending its last byte.
  private func resume(_ digest: Digest, as holder: TokenHolder) async throws -> Response {
    try await holder.send(
      .put, "/assets/\(digest)",
      headers: [
        "Upload-Offset": "\(Self.byteCount)", "Upload-Length": "\(Self.byteCount + 1)",
      ], body: Data([0]))
  }

  /// Whether the first bytes of an upload are being read.
  private func isBeingRead(_ digest: Digest, as holder: TokenHolder) async throws -> Bool {
    let answer = try await holder.send(
      .put, "/assets/\(digest)", headers: ["Upload-Length": "\(Self.byteCount + 1)"])
    return try await answer.problem() == .uploadInProgress
  }

  @Test
  func `one submitter's resumed uploads leave a slot for others and end with their requests`()
    async throws
  {
    let farm = try await TestFarm(access: .tokens)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let bob = try TokenHolder(.submitter, "bob", of: farm)
    let digests = (0..<4).map { Digest.of(Data("film \($0)".utf8)) }
    for digest in digests {
      let path = farm.directory.path("data/uploads/\(digest).ada.part")
      try Data().write(to: URL(filePath: path))
      // The file has this length but takes no space.
      try #require(truncate(path, off_t(Self.byteCount)) == 0)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for digest in digests {
        group.addTask { _ = try await resume(digest, as: ada) }
      }
      try await eventually("three uploads are being read") {
        var readCount = 0
        for digest in digests where try await isBeingRead(digest, as: ada) { readCount += 1 }
        return readCount
      } satisfies: {
        $0 >= 3
      }
      let bytes = Data("twelve bytes".utf8)
      let path = "/assets/\(Digest.of(bytes))"
      let first = try await bob.send(
        .put, path, headers: ["Upload-Length": "12"], body: bytes.prefix(5))
      #expect(first.status == .accepted)
      let rest = try await bob.send(
        .put, path, headers: ["Upload-Offset": "5", "Upload-Length": "12"], body: bytes.suffix(7))
      #expect(rest.status == .created)
      group.cancelAll()
      // The group waits for its tasks, and therefore for their reading threads.
    }
  }
}
