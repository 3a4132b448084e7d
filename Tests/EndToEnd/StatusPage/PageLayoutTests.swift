import Foundation
import Support
import Testing

/// How the status page looks: widths, themes, zoom, keyboard, and an accessibility audit of each view.
@Suite(.mayBlock, .needsChromium, .timeLimit(.minutes(15))) struct PageLayoutTests {
  @Test func `every view passes the audit on a phone, a desktop and a wall, in light and dark`()
    throws
  {
    let farm = try PageFarm()
    let page = farm.page
    _ = try farm.clip("a.mp4", y: 80, frames: 60)
    try farm.startWorker(named: "tower")
    let job = try farm.submit(
      #"{"version": 1, "sequence": [{"clip": "a.mp4"}, {"clip": "a.mp4", "in": 1}]}"#, named: "cut")
    try page.wait("the job completes", "return $('[data-state=completed]');")
    // A name that no line can break.
    let long = String(repeating: "Endless", count: 20)
    try farm.submit(#"{"version": 1, "sequence": [{"clip": "a.mp4"}]}"#, named: long)
    let views = [
      "": "farm", "jobs": "jobs", "jobs/\(job)": "job", "workers": "workers", "submit": "submit",
      "recordings": "no-recordings",
    ]
    // The last one is a desktop of 1440 pixels at a zoom of 200 %.
    let windows = [(1440, 900, 1), (360, 740, 1), (3840, 2160, 1), (720, 450, 2)]
    for (place, name) in views {
      try farm.show(place)
      try page.wait("\(name) is shown", "return $('h1') && !$('.loading');")
      let weight = try page.wait(
        "its weight is known",
        """
        const files = performance.getEntries().filter(each => each.encodedBodySize > 0 && !each.name.includes("/api/"));
        return files.reduce((sum, each) => sum + each.encodedBodySize, 0);
        """)
      #expect((weight as? Int ?? .max) < 200 << 10, "\(name) has \(weight) bytes")
      for (width, height, scale) in windows {
        for isDark in [false, true] {
          try page.setWindow(width, height, isDark: isDark, scale: scale)
          let problems = try page.audit()
          #expect(problems == [], "\(name), \(width) pixels, \(isDark ? "dark" : "light")")
          if scale == 1 { try page.keepPicture("\(name)-\(width)-\(isDark ? "dark" : "light")") }
        }
      }
    }
  }

  @Test func `the keyboard reaches the content first, then every control in order`() throws {
    let farm = try PageFarm()
    let page = farm.page
    try page.wait("the farm is shown", "return $('nav a') && !$('.loading');")
    var reached: [String] = []
    for _ in 0..<9 {
      try page.pressKeys(["\u{E004}"])
      let name = try page.wait(
        "something visible has the focus",
        """
        const it = document.activeElement, style = getComputedStyle(it);
        return style.outlineStyle !== "none" && (it.getAttribute("aria-label") ?? it.textContent).trim();
        """)
      reached.append(name as? String ?? "")
    }
    #expect(
      reached == [
        "Skip to content", "Sheaf, the farm", "Farm", "Jobs", "Recordings", "Workers", "Submit",
        "Tokens", "Menu",
      ])
  }

  @Test func `every file of the page is embedded, has its type, and is revalidated by its tag`()
    throws
  {
    let farm = try PageFarm()
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../coordinator/StatusPage/Files").standardized
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    for name in names {
      let content = try Data(contentsOf: folder.appending(path: name))
      let served = try Tool.run("curl", ["-sS", "--noproxy", "*", "\(farm.url)/page/\(name)"])
      #expect(served == content, "\(name)")
      let head = String(
        decoding: try Tool.run("curl", ["-sSI", "--noproxy", "*", "\(farm.url)/page/\(name)"]),
        as: UTF8.self)
      #expect(head.contains("Cache-Control: no-cache"), "\(name)")
      #expect(!head.contains("octet-stream") && !head.contains("unsafe-inline"), "\(name)")
      let tag = try #require(head.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") })
      let again = try Tool.run(
        "curl",
        [
          "-sS", "-o", "/dev/null", "-w", "%{http_code}", "--noproxy", "*", "-H",
          "If-None-Match: \(tag.dropFirst(6))", "\(farm.url)/page/\(name)",
        ])
      #expect(String(decoding: again, as: UTF8.self) == "304", "\(name)")
    }
  }
}
