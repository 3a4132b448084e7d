import Foundation
import Support
import Synchronization
import Testing

/// The status page in a browser that cannot load all of its files at first.
@Suite(.mayBlock, .needsChromium, .timeLimit(.minutes(15))) struct PageStartTests {
  /// A proxy to a farm that drops the first requests for a file.
  private static func proxy(
    to farm: PageFarm, dropping file: String, times: Int
  ) throws -> FaultyProxy {
    let port = try #require(URL(string: farm.url)?.port)
    let left = Mutex(times)
    return try FaultyProxy(to: UInt16(port)) { request in
      guard request.path == "/page/\(file)" else { return nil }
      return left.withLock { left in
        left -= 1
        return left >= 0 ? .swallow : nil
      }
    }
  }

  private static func count(_ path: String, at proxy: FaultyProxy) -> Int {
    proxy.requests.count { $0.path == path }
  }

  @Test(arguments: ["main.js", "dom.js", "base.css"])
  func `the page is loaded again if the connection breaks while it loads a file`(
    file: String
  ) throws {
    let farm = try PageFarm()
    let proxy = try Self.proxy(to: farm, dropping: file, times: 2)
    try farm.page.open(proxy.origin)
    // A script that waits in the page would be lost when the page is loaded again.
    try blockUntil("the file is loaded") { Self.count("/page/\(file)", at: proxy) > 2 }
    try farm.page.wait(
      "the farm is shown",
      "return document.readyState === 'complete' && text('main').includes('No jobs yet');")
    try farm.page.wait(
      "it has its styles",
      """
      const sheets = [...document.styleSheets];
      return sheets.length === 3 && sheets.every(sheet => sheet.cssRules.length > 0);
      """)
    try farm.page.wait("there is no message", "return !$('.banner');")
    // The first load, a probe, and another load.
    #expect(Self.count("/", at: proxy) >= 3)
  }

  @Test(arguments: ["dom.js", "base.css"])
  func `the page leaves it to the user to reload a file that is never loaded`(file: String) throws {
    let farm = try PageFarm()
    let proxy = try Self.proxy(to: farm, dropping: file, times: .max)
    try farm.page.open(proxy.origin)
    // The first load, and four times a probe and another load.
    try blockUntil("it gives up") { Self.count("/", at: proxy) >= 9 }
    try farm.page.wait(
      "it says so",
      "return text('.banner').includes('could not be loaded.') && !text('.banner').includes('Trying again');"
    )
    try farm.page.keepPicture("start-failed-\(file)")
    try farm.page.press("Reload")
    try blockUntil("it loads again") { Self.count("/", at: proxy) >= 10 }
  }
}
