import Foundation
import Support
import Testing
import Timeline

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

  @Test(arguments: [
    (0, 0), (1, 24), (24, 24), (25, 60), (60, 60), (61, nil),
  ])
  func `a copied part is divided at starts that are also ends`(_ frame: Int, _ division: Int?) {
    let points = CopyPoints(
      starts: [0, 12, 24, 40, 60, 70], ends: [0, 3, 6, 9, 24, 25, 30, 50, 55, 60, 61], delay: 2)
    #expect(points.division(atOrAfter: frame) == division)
  }

  @Test func `the references before a start survive encoding, and equal ones are stored once`()
    throws
  {
    let points = CopyPoints(
      starts: [0, 12, 24, 36], references: [12: [-1, -4], 24: [-1, -4], 36: [-2, -8, -1, -4]],
      ends: [48], delay: 2)
    #expect(points.referenceStates == [[-1, -4], [-2, -8, -1, -4]])
    let read = try JSONDecoder().decode(CopyPoints.self, from: try JSONEncoder().encode(points))
    #expect(
      [0, 12, 13, 24, 36, 48].map { read.references(before: $0) } == [
        nil, [-1, -4], nil, [-1, -4], [-2, -8, -1, -4], nil,
      ])
  }
}
