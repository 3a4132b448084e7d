import Support
import Testing
import Timeline

import struct Foundation.Data

@Suite(.mayBlock) struct CopyPointsTests {
  @Test(arguments: [
    (0..<30, 0..<30), (1..<30, 12..<30), (12..<29, 12..<27), (13..<24, nil), (25..<31, nil),
    (0..<1, 0..<1), (0..<12, 0..<12), (24..<25, 24..<25),
  ])
  func `a copied part runs from the first possible start to the last possible end`(
    _ frames: Range<Int>, _ part: Range<Int>?
  ) {
    let points = CopyPoints(
      starts: [0, 12, 24], ends: [1, 4, 7, 10, 12, 13, 18, 23, 24, 25, 26, 27, 30], delay: 2)
    #expect(points.part(of: frames) == part)
  }

  @Test func `ends are stored as runs of equal distances`() {
    #expect(CopyPoints(starts: [0], ends: Array(1...1000), delay: 0).ends == [1, 1, 999])
    #expect(CopyPoints(starts: [0], ends: [3, 6, 9, 10], delay: 0).ends == [3, 3, 2, 1, 1])
  }
}
