import Crypto
import Foundation
import Media
import Rendering
import Support
import Testing

/// Chunks and mixes whose bytes changed on the disk.
@Suite(.mayBlock) struct DamagedBytesTests {
  @Test func `a chunk whose bytes do not match its digest is not appended`() throws {
    let chunks = try TestChunks(frameCount: 20)
    let chunk = try chunks.chunk(0..<20)
    let digest = try Digest.of(file: chunk.path)
    let facts = chunks.facts(frameCount: 20)
    let assembler = try Assembler(facts)
    // In the middle of the coded pictures, which a demuxer does not parse.
    try FileDamage.flipBit(of: chunk.path)
    let error = #expect(throws: AssemblyError.self) {
      try assembler.append(chunk: chunk.path, sha256: digest, expecting: 20)
    }
    #expect(error?.code == .damagedChunk)
    try FileDamage.flipBit(of: chunk.path)
    try assembler.append(chunk: chunk.path, sha256: digest, expecting: 20)
    try assembler.finish()
    #expect(try FrameNameReader.names(in: facts.outputPath).count == 20)
  }

  @Test func `a mix whose bytes changed is not used`() throws {
    let chunks = try TestChunks(frameCount: 30)
    let chunk = try chunks.chunk(0..<30)
    let mix = try chunks.mix(sampleCount: 48_000)
    var facts = chunks.facts(frameCount: 30, audio: mix)
    facts.audioBlocks = try BlockDigests.of(file: mix)
    try FileDamage.flipBit(of: mix)
    let error = #expect(throws: MediaError.self) { try chunks.assemble([chunk], facts) }
    #expect(error?.code == .damagedAsset)
    try FileDamage.flipBit(of: mix)
    try chunks.assemble([chunk], facts)
  }
}
