import Foundation
import Support
import Testing

/// Submitting from the status page, and watching the job.
@Suite(.mayBlock, .needsChromium, .timeLimit(.minutes(15))) struct PageSubmissionTests {
  @Test func `a sequence is submitted from the page, and its segments fill`() throws {
    let farm = try PageFarm()
    let page = farm.page
    let clips = [
      try farm.clip("a.mp4", y: 80, frames: 60), try farm.clip("b.mp4", y: 160, frames: 60),
    ]
    try farm.show("submit")
    try page.choose(clips, in: "#files")
    try page.wait("both clips have pictures", "return $$('.clip canvas.drawn').length === 2;")
    try page.type("dissolve", into: "li:nth-child(2) .joint select")
    try page.type("0.5", into: "li:nth-child(2) .joint input")
    try page.type("1.5", into: "li:nth-child(1) label:last-of-type input")
    try page.type("Summer", into: ".submit-side input[placeholder=none]")
    // The second clip moves up by keyboard, and down again.
    try page.wait("the grip has the focus", "$('li:nth-child(2) .grip').focus(); return true;")
    try page.pressKeys(["\u{E013}"])
    try page.wait("b.mp4 is first", "return text('.clip h3') === 'b.mp4';")
    try page.pressKeys(["\u{E015}"])
    try page.wait("a.mp4 is first", "return text('.clip h3') === 'a.mp4';")
    try page.keepPicture("submit")
    try page.wait("the project can be submitted", "return !$('.submit-side .primary').disabled;")
    try page.press("Submit job")

    try page.wait("the job's page opens", "return location.hash.startsWith('#/jobs/') && $('h1');")
    let strip = "$('[role=slider][aria-label^=Segments]')?.getAttribute('aria-valuetext')"
    try page.wait("its segments wait", "return \(strip)?.includes('waiting');")
    try farm.startWorker(named: "tower")
    try page.wait(
      "its first segment is copied", "return \(strip)?.includes('copied');")
    try page.wait("it completes", "return text('.job-title .completed') && named('Download');")
    try page.wait("its length is shown", "return text('.facts').includes('90 of 90 frames');")
    try page.wait("the title shows it", "return document.title.includes('completed');")
    try page.keepPicture("job-completed")
  }

  @Test func `a draft survives a reload, and its findings stand beside the clip`() throws {
    let farm = try PageFarm()
    let page = farm.page
    try farm.show("submit")
    try page.choose([try farm.clip("a.mp4", y: 80, frames: 60)], in: "#files")
    try page.type("soon", into: "li:nth-child(1) label:last-of-type input")
    try page.wait(
      "the clip has a finding", "return text('.clip .findings').includes('Enter a time');")
    try page.wait("it cannot be submitted", "return $('.submit-side .primary').disabled;")
    try page.open(farm.url)
    try farm.show("submit")
    try page.wait(
      "the clip is back", "return $('li:nth-child(1) label:last-of-type input')?.value === 'soon';")
    try page.press("Start over")
    try page.wait(
      "the page is empty", "return !$('.clip') && text('.drop').includes('Drop clips');")
  }

  @Test func `the findings of a refused submission stand beside the clip`() throws {
    let farm = try PageFarm()
    let page = farm.page
    try farm.show("submit")
    let clips = [
      try farm.clip("a.mp4", y: 80, frames: 60), try farm.clip("b.mp4", y: 160, frames: 60),
    ]
    try page.choose(clips, in: "#files")
    // The page cannot check a project until it has submitted one, so the submission is refused.
    try page.wait(
      "checks fail from now on",
      """
      const real = fetch;
      let isSubmitted = false;
      window.fetch = (path, options) => {
        if (path.endsWith("/projects/check") && !isSubmitted) return Promise.reject(new TypeError());
        if (path.endsWith("/jobs") && options.method === "POST") isSubmitted = true;
        return real(path, options);
      };
      return true;
      """)
    try page.type("1.5", into: "li:nth-child(2) label:nth-of-type(1) input")
    try page.type("0.5", into: "li:nth-child(2) label:last-of-type input")
    try page.wait("the project can be submitted", "return !$('.submit-side .primary').disabled;")
    try page.press("Submit job")
    try page.wait(
      "the second clip has a finding",
      "return text('li:nth-child(2) .findings').includes('is not after');")
    try page.wait("the first clip has none", "return text('li:nth-child(1) .findings') === '';")
    try page.wait("it cannot be submitted", "return $('.submit-side .primary').disabled;")
    try page.keepPicture("submit-refused")
    // The upload is kept: the next submission starts at once.
    try page.type("1", into: "li:nth-child(2) label:nth-of-type(1) input")
    try page.type("2", into: "li:nth-child(2) label:last-of-type input")
    try page.wait("the project can be submitted", "return !$('.submit-side .primary').disabled;")
    try page.press("Submit job")
    try page.wait("the job's page opens", "return location.hash.startsWith('#/jobs/') && $('h1');")
  }

  @Test func `an upload that a reload interrupts continues where it was`() async throws {
    let farm = try PageFarm()
    let page = farm.page
    let path = try farm.clip("long.mp4", y: 80, frames: 30)
    let size = try lengthen(path, by: 24 << 20)
    let port = try #require(URL(string: farm.url)?.port)
    let relay = try CountingRelay(to: UInt16(port), holdingAfter: size / 10 * 9)
    let url = "http://127.0.0.1:\(relay.port)/#/submit"
    try page.open(url)
    try page.choose([path], in: "#files")
    try page.wait("the project can be submitted", "return !$('.submit-side .primary').disabled;")
    try page.press("Submit job")
    try page.wait(
      "the page may be closed", "return text('.submit-side').includes('close or reload the page');")
    try await eventually("most of the file has arrived") { relay.byteCount >= size / 10 * 9 }
    _ = try page.send("POST", "refresh", [:])
    relay.breakOff()
    try page.wait("the job's page opens", "return location.hash.startsWith('#/jobs/') && $('h1');")
    // An upload from the beginning would send nine tenths of the file twice. The rest may be sent twice, if the page
    // returns before the connection breaks off.
    #expect(relay.byteCount < size + size / 2)
  }

  /// Appends a box of random bytes, which players ignore, and returns the file's size.
  private func lengthen(_ path: String, by count: Int) throws -> Int {
    var random = SeededRandom(seed: 7)
    var box = withUnsafeBytes(of: UInt32(count + 8).bigEndian) { Data($0) } + Data("free".utf8)
    for _ in 0..<count / 8 { withUnsafeBytes(of: random.next()) { box.append(contentsOf: $0) } }
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    let end = try file.seekToEnd()
    try file.write(contentsOf: box)
    try file.close()
    return Int(end) + box.count
  }
}
