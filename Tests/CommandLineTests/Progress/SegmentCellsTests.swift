import FarmAPI
import Foundation
import Support
import Testing
import sheaf

@Suite(.mayBlock) struct SegmentCellsTests {
  private func cells(_ strip: String, _ count: Int) throws -> String {
    String(try #require(SegmentStrip(strip)).cells(count).map { Character($0.rawValue) })
  }

  @Test func `a strip fills its cells in proportion`() throws {
    #expect(try cells("c50,w50", 10) == "cccccwwwww")
    #expect(try cells("c1,w1", 7) == "cccwwww" || cells("c1,w1", 7) == "ccccwww")
    #expect(try cells("e3", 200) == String(repeating: "e", count: 200))
  }

  @Test func `a cell has the most interesting of its states`() throws {
    #expect(try cells("e499,f1,e500", 10) == "eeeefeeeee")
    #expect(try cells("e95,r10,e95", 4) == "erre" || cells("e95,r10,e95", 4) == "eree")
    #expect(try cells("c10,u10", 1) == "c")
  }

  @Test(arguments: [1, 2, 3, 39, 40, 79, 80, 200, 1000])
  func `every cell has a state`(count: Int) throws {
    for strip in ["c1500,u300,e25,r50,w9000", "f1", "w1,e1,w1", "e7,f1"] {
      #expect(try cells(strip, count).count == count)
    }
  }

  @Test func `a job without a strip is drawn by the numbers of its segments`() {
    var job = JobStatus(
      id: "1", name: "a", state: .rendering, createdAt: Date(timeIntervalSince1970: 0))
    #expect(SegmentStrip(job) == nil)
    job.segments.completed = 3
    job.segments.pending = 1
    #expect(SegmentStrip(job)?.description == "e3,w1")
  }
}
