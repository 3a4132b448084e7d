import Preparation
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct FrameChoiceTests {
  private func numbers(_ choice: FrameChoice, of count: Int) throws -> [Int] {
    try choice.numbers(of: count, frameDuration: RationalTime(1, 25))
  }

  @Test func `frames are in the middle of equal parts`() throws {
    #expect(try numbers(.count(1), of: 100) == [50])
    #expect(try numbers(.count(4), of: 100) == [12, 37, 62, 87])
  }

  @Test func `a short film shows each of its frames once`() throws {
    #expect(try numbers(.count(20), of: 3) == [0, 1, 2])
    #expect(try numbers(.count(20), of: 1) == [0])
  }

  @Test func `an interval counts from the first frame, and no frame is shown twice`() throws {
    #expect(try numbers(.every(RationalTime(1)), of: 60) == [0, 25, 50])
    #expect(try numbers(.every(RationalTime(1, 50)), of: 3) == [0, 1, 2])
    #expect(try numbers(.every(RationalTime(9)), of: 60) == [0])
  }
}
