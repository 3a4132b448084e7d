import Foundation
import Rendering
import Support
import Testing
import Timeline

/// Chunks from a fuzzer's corpus that once revealed a defect.
@Suite(.mayBlock) struct FuzzedChunkTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// A file of the chunk fuzzer's corpus without its first byte, which only the fuzzer uses.
  private func chunk(_ name: String) throws -> String {
    let corpus = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fuzzing/Corpus/chunk")
    let path = folder.path(name)
    try Data(contentsOf: corpus.appending(path: name)).dropFirst().write(to: URL(filePath: path))
    return path
  }

  private func assembler(_ codec: VideoSettings.Codec) throws -> Assembler {
    try Assembler(
      AssemblyFacts(
        frameCount: 12, frameDuration: RationalTime(1, 10),
        renderSize: PixelSize(width: 64, height: 64), codec: codec, fileType: .mkv,
        optimizeForNetworkUse: true, audioPath: nil, outputPath: folder.path("out.mp4")))
  }

  @Test(arguments: [[], ["av1"]])
  func `the error about a chunk that the container rejects halfway names it`(
    after good: [String]
  ) throws {
    let assembler = try assembler(.av1)
    for name in good { try assembler.append(chunk: chunk(name), expecting: 6) }
    let error = try #require(throws: AssemblyError.self) {
      try assembler.append(chunk: chunk("av1-refused-by-container"), expecting: 6)
    }
    #expect(error.code == .unwritableChunk)
    #expect(error.segment == good.count)
  }
}
