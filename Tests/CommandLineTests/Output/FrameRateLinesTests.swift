import FarmAPI
import Foundation
import Planning
import Support
import Testing
import Timeline
import sheaf

@Suite(.mayBlock) struct FrameRateLinesTests {
  private func report(of assets: Int) -> FrameRateReport {
    FrameRateReport(
      frameRate: RationalTime(30), reason: .project, fastest: nil,
      unshown: (0..<assets).map {
        FrameRateReport.UnshownFrames(
          asset: "\($0).mp4", count: 1, total: 60, times: [RationalTime(2)])
      })
  }

  @Test(arguments: [
    (20, "frame rate: 1 of 60 frames of \"19.mp4\" are not shown at this rate: at 2 s"),
    (21, "frame rate: frames of 1 more asset are not shown at this rate"),
    (50, "frame rate: frames of 30 more assets are not shown at this rate"),
  ])
  func `the assets that a report does not list are counted in the last line`(
    assets: Int, last: String
  ) {
    let lines = report(of: assets).lines
    #expect(lines.first == "frame rate: 30 fps, set by the project")
    #expect(lines.last == last)
    #expect(lines.count == min(assets, 21) + 1)
  }

  @Test func `a list of jobs has the number of assets with frames that are not shown`() {
    var job = JobStatus(
      id: "1", name: "cut", state: .rendering, createdAt: Date(timeIntervalSince1970: 0))
    job.frameRate = report(of: 3)
    #expect(job.listed.frameRate?.unshown == [])
    #expect(job.listed.frameRate?.unshownAssets == 3)
    #expect(job.listed.frameRate?.frameRate == RationalTime(30))
    job.frameRate = report(of: 50)
    #expect(job.listed.frameRate?.unshownAssets == 50)
  }
}
