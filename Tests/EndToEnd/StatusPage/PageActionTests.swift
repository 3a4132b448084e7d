import Foundation
import Support
import Testing

/// A user's actions on jobs and workers on the status page.
@Suite(.mayBlock, .needsChromium, .timeLimit(.minutes(15))) struct PageActionTests {
  /// A sequence of a part of `a.mp4`, which is encoded.
  private static let project = #"""
    {"version": 1, "sequence": [{"clip": "a.mp4", "out": 1}], "export": {"preset": "highestQuality"}}
    """#

  @Test func `a job is given a priority, cancelled and retried, and a worker is drained`() throws {
    let farm = try PageFarm()
    let page = farm.page
    _ = try farm.clip("a.mp4", y: 80, frames: 60)
    let job = try farm.submit(Self.project, named: "beach")
    try farm.show("jobs/\(job)")
    try page.press("Priority 0")
    try page.type("7", into: "#priority")
    try page.press("Set priority")
    try page.wait("the priority is shown", "return named('Priority 7');")
    try page.press("Cancel")
    try page.press("Cancel rendering")
    try page.wait("it is cancelled", "return text('.job-title .cancelled');")
    try page.press("Retry")
    try page.wait("it runs again", "return named('Cancel');")
    try farm.startWorker(named: "tower")
    try page.wait("it completes", "return named('Download');")

    try farm.show("workers")
    try page.press("Drain tower")
    try page.wait("it is draining", "return text('.worker .draining');")
    try page.press("Resume tower")
    try page.wait("it is idle", "return text('.worker .idle');")
    try page.keepPicture("workers")

    try farm.show("jobs")
    try page.wait(
      "the job can be selected",
      "const box = $('[aria-label=\"Select beach\"]'); box?.click(); return box;")
    try page.wait("actions on it are offered", "return text('.bulk').includes('1 job selected');")
    try page.press("Delete")
    try page.wait(
      "the page asks", "const yes = $('dialog .primary'); yes?.click(); return yes;")
    try page.wait("it is gone", "return text('main').includes('No jobs yet');")
  }

  @Test func `a view that cannot be loaded appears once the connection is back`() throws {
    let farm = try PageFarm()
    let page = farm.page
    try page.devTools("Network.enable")
    try page.devTools("Network.setBlockedURLs", ["urls": ["*/view-submit.js"]])
    try page.wait("the user asks to submit", "location.hash = '#/submit'; return true;")
    try page.wait(
      "the page says what is wrong", "return text('main').includes('could not be loaded');")
    try page.devTools("Network.setBlockedURLs", ["urls": [String]()])
    try page.wait("the view is there", "return $('#files');")
  }

  @Test func `the log of a failed segment opens by itself`() throws {
    let farm = try PageFarm()
    let page = farm.page
    let path = farm.folder.path("a.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "mandelbrot=s=320x192:r=25", "-t", "2.4", "-c:v",
        "libx264",
        "-g", "12", "-bf", "0", "-pix_fmt", "yuv420p", "-bitexact", path,
      ])
    try PacketPlaces.overwrite([17], of: path)
    try farm.startWorker(named: "tower")
    let job = try farm.submit(Self.project, named: "damaged")
    try farm.show("jobs/\(job)")
    try page.wait("it fails", "return text('.job-title .failed');")
    try page.wait("the reason is shown", "return text('.notice').includes('a.mp4');")
    try page.wait(
      "the failed segment is shown", "return text('#segment h2').startsWith('Segment');")
    try page.wait("its attempts are listed", "return text('#segment table').includes('tower');")
    try page.wait("its log is open", "return text('#segment .log-row').includes('a.mp4');")
    try page.keepPicture("job-failed")
    try farm.show("")
    try page.wait(
      "the farm shows it first", "return text('section h2').startsWith('Needs attention');")
    try page.keepPicture("farm-trouble")
  }

  @Test func `the page reconnects after the coordinator has restarted`() throws {
    let farm = try PageFarm()
    let page = farm.page
    _ = try farm.clip("a.mp4", y: 80, frames: 60)
    try page.wait("the page is live", "return document.body.dataset.connection === 'live';")
    farm.stopCoordinator()
    try page.wait("the page says so", "return text('#banner').includes('does not respond');")
    try page.keepPicture("disconnected")
    try farm.restartCoordinator()
    try page.wait("it is live again", "return document.body.dataset.connection === 'live';")
    try page.wait("the banner goes", "return text('#banner') === '';")
    try farm.submit(Self.project, named: "beach")
    try page.wait("events arrive", "return text('.job .name') === 'beach';")
  }
}
