import Foundation
import Processes
import Support
import Testing

/// A recording on the status page, while it is recorded and afterwards.
@Suite(.mayBlock, .needsChromium, .timeLimit(.minutes(15))) struct PageRecordingTests {
  private static let size = (width: 320, height: 180)

  /// A page whose coordinator may record from a port.
  private struct Studio {
    let farm: PageFarm
    let port: UInt16

    init() throws {
      port = try Ports.free()
      farm = try PageFarm(["--recording-source", "tcp-listen://127.0.0.1:\(port)"])
    }

    /// Starts a recording, and returns its id.
    func begin() throws -> String {
      let outcome = try Program.sheaf.run(
        [
          "record", "tcp-listen://127.0.0.1:\(port)", "--name", "take", "--detach",
          "--coordinator", farm.url,
        ], in: farm.folder.path)
      try #require(outcome.status == 0, "\(outcome.standardError)")
      return String(outcome.standardOutput.prefix { $0 != " " })
    }

    /// Sends a stream of frames that name themselves at its own pace, 24 a second, with sound.
    func send(_ source: Int, frames: Int) throws -> Subprocess {
      let path = try RecordingStudio.stream(source, frames: frames, in: farm.folder)
      let sender = Subprocess(
        "/usr/bin/env",
        [
          "ffmpeg", "-v", "error", "-re", "-i", path, "-c", "copy", "-f", "mpegts",
          "tcp://127.0.0.1:\(port)",
        ])
      sender.standardError = .null
      try Ports.waitUntilOpen(port, in: "tcp")
      try sender.run()
      return sender
    }
  }

  private func name(at frame: Int, on page: Chromium.Driver) throws -> FrameName? {
    let luma = try page.lumaAfterSeeking(
      to: (Double(frame) + 0.5) / 24, frame: 1 / 24, width: Self.size.width,
      height: Self.size.height)
    return FrameName.read(
      luma[...], width: Self.size.width, area: (0, 0, Self.size.width, Self.size.height))
  }

  @Test func `a recording plays while it grows, and every frame can be reached`() throws {
    let studio = try Studio()
    let page = studio.farm.page
    let id = try studio.begin()
    try studio.farm.show("recordings")
    try page.wait(
      "the recording is listed", "return text('.recording-card').includes('preparing');")
    let sender = try studio.send(3, frames: 24 * 12)
    try page.wait("it is recorded", "return text('.recording-card').includes('recording');")
    try page.keepPicture("recordings")
    try page.press("take")
    try page.wait("the player plays", "return $('video')?.currentTime > 0;")
    try page.wait(
      "it follows", "return text('.recording-player').includes('live');")
    try page.keepPicture("recording-live")
    // Frames of several fragments, before and after the playhead.
    #expect(try name(at: 2, on: page) == FrameName(source: 3, frame: 2))
    try page.wait(
      "it is behind", "return text('.recording-player').includes('behind') && named('Follow');")
    sender.wait()
    try page.press("Stop")
    try page.press("Stop recording")
    try page.wait("it is finished", "return text('.job-title .finished') && named('Download');")
    try page.wait(
      "its length is known", "return text('.recording-player').includes('of 00:00:12');")
    for frame in [0, 23, 24, 25, 47, 48, 100, 150, 200, 286, 287, 60] {
      #expect(try name(at: frame, on: page) == FrameName(source: 3, frame: frame))
    }
    try page.keepPicture("recording-finished")
    // Back and forth within what is loaded, to the end, and back again.
    for frame in [250, 12, 240, 13] {
      #expect(try name(at: frame, on: page) == FrameName(source: 3, frame: frame))
    }
    try page.wait(
      "the end can be reached", "const it = $('video'); it.currentTime = it.duration; return true;")
    try page.wait(
      "it stays there",
      "const it = $('video'); return !it.seeking && it.currentTime > 11.9 && it.duration > 11.9;")
    #expect(try name(at: 60, on: page) == FrameName(source: 3, frame: 60))

    // A reload stays at the frame.
    try page.wait("the time is kept", "dispatchEvent(new Event('pagehide')); return location.hash;")
    _ = try page.send("POST", "refresh", [:])
    try page.wait(
      "the player is where it was", "return Math.abs($('video')?.currentTime - 2.5) < 0.2;")
    try page.wait("it shows a frame", "return $('video').readyState >= 2;")
    for (width, height) in [(1440, 900), (760, 600), (360, 740)] {
      try page.setWindow(width, height)
      #expect(try page.audit() == [], "\(width) pixels")
      try page.keepPicture("recording-\(width)")
    }

    try page.press("Delete")
    try page.wait("the page asks", "const yes = $('dialog .primary'); yes?.click(); return yes;")
    try page.wait("it is gone", "return text('main').includes('No recordings yet');")
    #expect(
      !FileManager.default.fileExists(atPath: studio.farm.folder.path("data/recordings/\(id)")))
  }

  @Test func `parts of different senders are played one after the other`() throws {
    let studio = try Studio()
    let page = studio.farm.page
    let id = try studio.begin()
    try studio.send(3, frames: 48).wait()
    try studio.farm.show("recordings/\(id)")
    try page.wait("the first part is there", "return text('.facts').includes('parts');")
    try studio.send(4, frames: 48).wait()
    try page.wait(
      "the second part is there",
      "return $$('.facts > div').some(each => each.innerText.replace(/\\s/g, '') === 'parts2');")
    try page.press("Stop")
    try page.press("Stop recording")
    try page.wait("it is finished", "return named('Download');")
    for (frame, name) in [
      (1, FrameName(source: 3, frame: 1)), (47, FrameName(source: 3, frame: 47)),
      (49, FrameName(source: 4, frame: 1)), (95, FrameName(source: 4, frame: 47)),
    ] {
      #expect(try self.name(at: frame, on: page) == name)
    }
  }

  @Test func `a job that follows a recording plays while it is recorded`() throws {
    let studio = try Studio()
    let (farm, page) = (studio.farm, studio.farm.page)
    let id = try studio.begin()
    let job = try farm.submit(
      #"{"version": 1, "sequence": [{"clip": "recording://\#(id)?follow"}]}"#, named: "cut",
      options: ["--in-order"])
    try farm.startWorker(named: "worker", ["--slots", "1"])
    let sender = try studio.send(3, frames: 24 * 16)
    try farm.show("jobs/\(job)")
    try page.wait("a part is finished", "return named('Play finished parts');")
    try page.press("Play finished parts")
    // Browsers block sound after a scripted click, so the video is muted.
    try page.wait(
      "it plays", "const it = $('video'); it.muted = true; it.play(); return it.currentTime > 0.5;")
    try page.wait("sound is decoded", "return $('video').webkitAudioDecodedByteCount > 0;")
    #expect(try name(at: 30, on: page) == FrameName(source: 3, frame: 30))
    try page.wait(
      "it waits for more",
      """
      const it = $('video');
      it.muted = true;
      if (it.paused) it.play();
      return text('.job-side').includes('Waiting for more of the recording.');
      """)
    try page.keepPicture("following")
    #expect(try page.audit() == [])
    sender.wait()
    _ = try Program.sheaf.run(["stop", id, "--coordinator", farm.url], in: farm.folder.path)
    try page.wait("it is completed", "return $('video').src.endsWith('/output');")
    for frame in [0, 150, 383] {
      #expect(try name(at: frame, on: page) == FrameName(source: 3, frame: frame))
    }
  }
}
