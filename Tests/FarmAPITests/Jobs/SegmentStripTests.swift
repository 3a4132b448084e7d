import FarmAPI
import Foundation
import Support
import Testing

@Suite(.mayBlock) struct SegmentStripTests {
  private func strip(_ runs: (SegmentStrip.State, Int)...) -> SegmentStrip {
    SegmentStrip(runs.map { SegmentStrip.Run($0.0, $0.1) })
  }

  @Test func `neighbors in one state are one run`() {
    let strip = strip((.copied, 10), (.copied, 5), (.reused, 3), (.waiting, 1), (.copied, 2))
    #expect(strip.description == "c15,u3,w1,c2")
    #expect(strip.frameCount == 21)
    #expect(SegmentStrip(strip.description) == strip)
  }

  @Test(arguments: ["", "x5", "c", "c0", "c-1", "c5,", "c5,,e1", "5c"])
  func `other text is not a strip`(text: String) {
    #expect(SegmentStrip(text) == nil)
  }

  @Test func `a strip with more than 400 runs has 400 parts that add up`() throws {
    let runs = (0..<1001).map { SegmentStrip.Run($0.isMultiple(of: 2) ? .copied : .waiting, 7) }
    let strip = SegmentStrip(runs)
    #expect(strip.frameCount == 7007)
    // Every part contains a waiting segment.
    #expect(strip.description == "w7007")
    let failed = SegmentStrip(
      runs.enumerated().map { $0.offset == 500 ? SegmentStrip.Run(.failed, 7) : $0.element })
    #expect(failed.frameCount == 7007)
    #expect(failed.runs.map(\.state) == [.waiting, .failed, .waiting])
    let place = try #require(failed.runs.first).frameCount
    #expect((3500 - 18...3500).contains(place))
  }

  @Test func `a divided strip shows each part's most interesting state`() {
    let states: [SegmentStrip.State] = [.reused, .copied, .encoded, .waiting, .rendering, .failed]
    for (rank, state) in states.enumerated() {
      let lower = states[max(0, rank - 1)]
      let runs = (0..<800).flatMap { _ in
        [SegmentStrip.Run(lower, 3), SegmentStrip.Run(state, 1)]
      }
      let strip = SegmentStrip(runs)
      #expect(strip.frameCount == 3200)
      #expect(strip.runs == [SegmentStrip.Run(state, 3200)])
    }
  }
}
