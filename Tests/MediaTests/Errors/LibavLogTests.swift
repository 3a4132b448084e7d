import Foundation
import Media
import Support
import Testing

@Suite(.mayBlock) struct LibavLogTests {
  /// The printable texts in libav's library of codecs that this process uses.
  private static let texts = Result {
    // Foundation reads only the first part of such a file.
    let maps = String(decoding: try Tool.run("cat", ["/proc/\(getpid())/maps"]), as: UTF8.self)
    let line = try #require(maps.split(separator: "\n").first { $0.contains("/libavcodec.so") })
    let library = try Data(
      contentsOf: URL(filePath: String(line[try #require(line.firstIndex(of: "/"))...])))
    return library.withUnsafeBytes { bytes in
      bytes.split { !(0x20..<0x7F).contains($0) }.filter { $0.count >= 8 }
        .map { String(decoding: $0, as: UTF8.self) }
    }
  }

  @Test(arguments: LibavLog.phrases)
  func `the installed library has the line that decides something`(phrase: String) throws {
    #expect(try Self.contains(phrase))
  }

  @Test func `text that the library does not contain is not found`() throws {
    #expect(try !Self.contains("Frame nam gap"))
    // A part of a text is not its beginning.
    #expect(try !Self.contains("num gap"))
  }

  /// Whether a text of the library begins in this way.
  private static func contains(_ phrase: String) throws -> Bool {
    try texts.get().contains { $0.utf8.starts(with: phrase.utf8) }
  }
}
