import Crypto
import Foundation
import Support
import Testing
import sheaf_coordinator

@Suite(.mayBlock) struct ReadBackTests {
  /// Lengths around those of the pieces in which a file is read.
  @Test(arguments: [0, 1, 1 << 20, (5 << 20) + 3])
  func `a file is hashed in both ways, however many pieces it has`(count: Int) async throws {
    let directory = try TemporaryDirectory()
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7 ^ $0 >> 16) }
    try Data(bytes).write(to: URL(filePath: directory.path("film.mp4")))
    let found = try await ReadBack(directory.path("film.mp4"))
    #expect(found.sha256 == Digest.of(bytes))
    #expect(found.content == BlockDigests.of(bytes).written)
  }

  @Test func `a file that is missing is an error`() async throws {
    let directory = try TemporaryDirectory()
    await #expect(throws: FileReadError.self) { try await ReadBack(directory.path("film.mp4")) }
  }
}
