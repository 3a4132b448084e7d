import Foundation
import Support
import Testing

/// A job that is played on the status page while it is rendered.
@Suite(.mayBlock, .needsChromium, .timeLimit(.minutes(15))) struct PageWatchTests {
  private static let size = (width: 320, height: 180)
  fileprivate static let frameCount = 24 * 60

  /// A farm whose only worker can be paused.
  private final class Studio {
    let farm: PageFarm
    let id: String
    let worker: Subprocess
    private let input: SubprocessPipe

    /// Submits a 60 s film of frames that name themselves, with a tone, and pauses the worker once a part from the start
    /// is finished, whose length begins with some text.
    init(finished length: String = "") throws {
      farm = try PageFarm()
      let (silent, clip) = (farm.folder.path("silent.mp4"), farm.folder.path("clip.mp4"))
      try FrameNamingClip(source: 7, frameCount: PageWatchTests.frameCount, rate: "24")
        .write(to: silent)
      _ = try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-i", silent, "-f", "lavfi", "-i", "sine=sample_rate=48000", "-shortest",
          "-c:v", "copy", "-c:a", "aac", clip,
        ])
      id = try farm.submit(
        """
        {"version": 1, "sequence": [{"clip": "clip.mp4"}],
         "export": {"preset": "highestQuality", "video": {"encoderPreset": "veryslow"}}}
        """, named: "film", options: ["--in-order"])
      worker = Program.worker.process([
        "--coordinator", farm.url, "--cache", farm.folder.path("cache"), "--slots", "1",
        "--exit-with-parent",
      ])
      input = try SubprocessPipe()
      worker.standardInput = .pipe(input)
      worker.standardError = .null
      try farm.show("jobs/\(id)")
      try worker.run()
      try farm.page.wait(
        "a part is finished",
        "return text('.job-side').includes('Finished without a gap up to \(length)');")
      worker.send(SIGSTOP)
    }

    deinit {
      worker.send(SIGCONT)
      try? input.writing.close()
      worker.terminate()
    }
  }

  private func name(at frame: Int, on page: Chromium.Driver) throws -> FrameName? {
    let luma = try page.lumaAfterSeeking(
      to: (Double(frame) + 0.5) / 24, frame: 1 / 24, width: Self.size.width,
      height: Self.size.height)
    return FrameName.read(
      luma[...], width: Self.size.width, area: (0, 0, Self.size.width, Self.size.height))
  }

  @Test func `the finished parts of a job can be played, and the rest plays once it is rendered`()
    throws
  {
    let studio = try Studio()
    let page = studio.farm.page
    try page.press("Play finished parts")
    // Browsers block sound after a scripted click, so the video is muted.
    try page.wait(
      "it plays", "const it = $('video'); it.muted = true; it.play(); return it.currentTime > 0.5;")
    try page.keepPicture("watch")
    #expect(try page.audit() == [])
    // On a busy host, the sound may be mixed only after the finished part was played.
    let hasSound = try page.wait(
      "sound is decoded",
      """
      const it = $('video');
      if (it.currentTime > 4) it.currentTime = 1;
      it.play();
      return it.webkitAudioDecodedByteCount > 0;
      """)
    #expect(hasSound as? Bool == true)
    for frame in [2, 60, 119, 30, 1, 118] {
      #expect(try name(at: frame, on: page) == FrameName(source: 7, frame: frame))
    }

    // The page is loaded again, and stays where it was.
    try page.wait("the time is kept", "dispatchEvent(new Event('pagehide')); return location.hash;")
    _ = try page.send("POST", "refresh", [:])
    try page.wait("it is where it was", "return Math.abs($('video')?.currentTime - 4.9) < 0.2;")
    try page.wait("it shows a frame", "return $('video').readyState >= 2;")

    // A part that is not finished yet plays as soon as it is.
    try page.wait(
      "the playhead moves",
      "const it = $('video'); it.currentTime = 55; it.muted = true; it.play(); return true;")
    try page.wait(
      "it waits", "return text('.job-side').includes('This part is not finished yet');")
    for (width, height) in [(1440, 900), (360, 740)] {
      try page.setWindow(width, height)
      #expect(try page.audit() == [], "\(width) pixels")
      try page.keepPicture("watch-\(width)")
    }
    studio.worker.send(SIGCONT)
    try page.wait("it goes on", "return $('video').currentTime > 55.2;")
    try page.wait("it is completed", "return $('video').src.endsWith('/output');")
    try page.wait(
      "the file goes on where the stream was", "return $('video').currentTime > 55.2;")
    for frame in [0, 700, 1439] {
      #expect(try name(at: frame, on: page) == FrameName(source: 7, frame: frame))
    }
  }

  @Test func `every frame is presented across the end of a segment`() throws {
    // Two segments of about five seconds, and at most one more.
    let studio = try Studio(finished: "00:00:1")
    let page = studio.farm.page
    try page.press("Play finished parts")
    // When the sound becomes available, the player starts again at the playhead.
    try page.wait(
      "it plays with sound",
      """
      const it = $('video');
      if (it.currentTime > 4) it.currentTime = 1;
      it.muted = true;
      it.play();
      return it.webkitAudioDecodedByteCount > 0;
      """)
    // Slowly and repeatedly, since a browser on a busy host skips frames. One that the stream lacks is never presented.
    let script = """
      const done = arguments[0], video = document.querySelector("video"), times = [];
      video.pause();
      video.addEventListener("seeked", () => {
        video.playbackRate = 0.25;
        const note = (_, shown) => {
          times.push(shown.mediaTime);
          if (shown.mediaTime < 6) return video.requestVideoFrameCallback(note);
          video.pause();
          done(times);
        };
        video.requestVideoFrameCallback(note);
        video.play();
      }, { once: true });
      video.currentTime = 4;
      """
    let expected = Set(97...144)
    var presented: Set<Int> = []
    for _ in 0..<5 where !presented.isSuperset(of: expected) {
      let answer = try page.execute(script, [])
      let times = try #require(answer as? [Double], "\(answer)")
      let frames = times.map { Int(($0 * 24).rounded()) }
      #expect(frames == frames.sorted() && frames[0] >= 94, "\(frames)")
      presented.formUnion(frames)
    }
    #expect(expected.subtracting(presented) == [])
  }
}
