import Planning
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct StreamLayoutTests {
  @Test(arguments: [1, 75, 149, 150, 225, 1800, 7], [25, 30, 60])
  func `pieces cover a segment, and none is too long`(_ frames: Int, _ rate: Int64) throws {
    let layout = StreamLayout(frameDuration: try RationalTime(1, rate))
    let pieces = layout.pieces(ofFrames: frames)
    #expect(pieces.first?.lowerBound == 0 && pieces.last?.upperBound == frames)
    #expect(zip(pieces, pieces.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
    #expect(pieces.allSatisfy { !$0.isEmpty && Int64($0.count) <= layout.longestPiece * rate })
    #expect(layout.longestPiece == 8 && layout.startTime == 10)
  }

  @Test func `a film with a low frame rate starts late enough to keep decoding times positive`() {
    #expect(StreamLayout(frameDuration: RationalTime(2)).startTime == 34)
  }

  @Test func `a piece has at least one frame, however long it is`() throws {
    let slow = StreamLayout(frameDuration: RationalTime(2))
    #expect(slow.pieces(ofFrames: 5).map(\.count) == [1, 2, 2])
    let slides = StreamLayout(frameDuration: RationalTime(20))
    #expect(slides.pieces(ofFrames: 3).map(\.count) == [1, 1, 1])
    #expect(slides.longestPiece >= 20)
  }
}
