import Crypto
import FarmAPI
import Foundation
import Planning
import Support
import Testing
import Timeline
import sheaf_worker

/// Segments that conceal more separate parts of damaged media than a delivery can list.
@Suite(.mayBlock) struct TooManyConcealmentsTests {
  private func parts(_ count: Int) throws -> [Concealment] {
    let time = try RationalTime(1_000_001, 60_000)
    return (0..<count).map { number in
      Concealment(
        asset: Digest.of(Data("a clip".utf8)), time: time,
        frames: 1_000_000 + 2 * number..<1_000_001 + 2 * number)
    }
  }

  @Test func `a list of 30,000 parts can be delivered`() throws {
    #expect(try ConcealmentList(parts(30_000)).encoded().count <= ConcealmentList.byteLimit)
    #expect(
      try FailureReport(ofTooMany: parts(30_000), in: Lease.test("one").description) == nil)
  }

  @Test
  func `a list with too many concealed parts fails its segment at once, and names the frames`()
    throws
  {
    let segment = Lease.test("one").description
    let report = try #require(try FailureReport(ofTooMany: parts(60_000), in: segment))
    #expect(report.isPermanent)
    #expect(report.code == "too-many-concealments")
    #expect(
      report.message.hasPrefix(
        "output frames \(segment.first) to \(segment.end - 1) would conceal 60000 separate parts"))
  }
}
