import Foundation
import Support
import Testing

/// The status page in Chromium, with a coordinator and a worker as processes.
@Suite(.mayBlock, .needsChromium, .timeLimit(.minutes(15))) struct StatusPageTests {
  /// Opens the first job and its list *Delivered by*, and reads that, the number of segments, the line on the damage
  /// search, and what the page and the API tell about copied and encoded frames.
  private static let script = """
    const [patience, done] = arguments;
    const until = async (what, look) => {
      for (let tries = 0; tries < 10 * patience; tries++) {
        const found = look();
        if (found) return found;
        await new Promise(again => setTimeout(again, 100));
      }
      throw `no ${what} within ${patience} s`;
    };
    (async () => {
      try {
        const search = await until("search", () => document.getElementById("scrub")?.innerText);
        const link = await until("job", () => document.querySelector(".job a.name"));
        const job = decodeURIComponent(link.hash.split("/")[2]);
        link.click();
        const tab = await until("tab", () => document.querySelector("[data-tab=who]"));
        tab.click();
        const row = await until("deliveries", () => document.querySelector("#deliveries > div"));
        const segments = await (await fetch(`/api/v1/jobs/${job}/segments`)).json();
        const [who, what] = [row.querySelector("dt").innerText, row.querySelector("dd").innerText];
        const words = [...document.querySelectorAll("dl.facts dt")];
        const fact = (word) => words.find(each => each.textContent === word)?.nextElementSibling?.textContent;
        const status = await (await fetch(`/api/v1/jobs/${job}`)).json();
        done([
          `${who}: ${what}`, String(segments.length), search, String(fact("Copied")), String(fact("Encoded because")),
          String(status.framesCopied), String(status.frameCount), ...status.encodedBecause.map(each => each.reason),
        ]);
      } catch (error) { done([String(error)]); }
    })();
    """

  @Test
  func `the page shows who delivered a job's chunks, how they were made, and the damage search`()
    throws
  {
    let folder = try TemporaryDirectory()
    let (coordinatorInput, workerInput) = (try SubprocessPipe(), try SubprocessPipe())
    let coordinator = Program.coordinator.process(
      ["serve", "--data", folder.path("data"), "--port", "0", "--exit-with-parent"])
    coordinator.standardInput = .pipe(coordinatorInput)
    coordinator.standardError = .null
    let url = try coordinator.startListening()
    let worker = Program.worker.process(
      ["--coordinator", url, "--name", "tower", "--cache", folder.path, "--exit-with-parent"])
    worker.standardInput = .pipe(workerInput)
    worker.standardError = .null
    try worker.run()
    defer {
      for input in [coordinatorInput, workerInput] { try? input.writing.close() }
    }

    try FrameNamingClip(source: 1, frameCount: 60, encoding: FrameNamingClip.h264)
      .write(to: folder.path("a.mp4"))
    let project = #"{"version": 1, "sequence": [{"clip": "a.mp4"}, {"clip": "a.mp4", "in": 1}]}"#
    try Data(project.utf8).write(to: URL(filePath: folder.path("cut.json")))
    let rendered = try Program.sheaf.run(
      ["submit", "cut.json", "--watch", "--coordinator", url], in: folder.path)
    #expect(rendered.status == 0, "\(rendered.standardError)")

    let driver = try Chromium.Driver()
    try driver.open(url)
    let shown = try driver.execute(Self.script, [longestWait / .seconds(1)]) as? [String] ?? []
    try #require(shown.count == 8, "\(shown)")
    let count = try #require(Int(shown[1]))
    #expect(shown[0] == (count > 1 ? "tower: segments 0–\(count - 1)" : "tower: segment 0"))
    #expect(shown[2] == "The search for damaged files has not started.")
    // The second clip has no keyframe where it is cut.
    let (copied, total) = (try #require(Int(shown[5])), try #require(Int(shown[6])))
    #expect(copied > 0 && copied < total, "\(shown)")
    let share = 100 * copied / total
    #expect(["\(share)\u{a0}%", "\(share + 1)\u{a0}%"].contains(shown[3]))
    #expect(shown[4].hasPrefix("\(shown[7]) ("), "\(shown)")
  }

  @Test func `the page escapes the same characters as the programs`() throws {
    let folder = try TemporaryDirectory()
    let input = try SubprocessPipe()
    let coordinator = Program.coordinator.process(
      ["serve", "--data", folder.path("data"), "--port", "0", "--exit-with-parent"])
    coordinator.standardInput = .pipe(input)
    coordinator.standardError = .null
    let url = try coordinator.startListening()
    defer { try? input.writing.close() }
    let driver = try Chromium.Driver()
    try driver.open(url)
    let texts = ForeignText.table.map(\.0)
    let script = """
      const [texts, done] = arguments;
      import("/page/text.js").then(({printable}) => done(texts.map(printable)), error => done([String(error)]));
      """
    let shown = try driver.execute(script, [texts]) as? [String] ?? []
    #expect(shown == ForeignText.table.map(\.1))
  }
}
