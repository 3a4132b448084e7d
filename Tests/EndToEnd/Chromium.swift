import Foundation
import Support
import Testing

/// A headless Chromium, driven by chromedriver (W3C WebDriver) through `curl`.
enum Chromium {
  /// Whether both programs are installed.
  static let isPresent = ["chromium", "chromedriver", "curl"].allSatisfy { name in
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
    }
  }

  /// The luma, scaled to 0…255, of the frame that a video shows after its first seek, for each of several times in
  /// seconds. The video is reloaded for each.
  static func lumaAfterSeeking(
    in path: String, to times: [Double], width: Int, height: Int
  ) throws -> [[UInt8]] {
    let driver = try Driver()
    let url =
      "data:video/webm;base64,"
      + (try Data(contentsOf: URL(filePath: path))).base64EncodedString()
    let answer = try driver.execute(Self.script, [url, times, width, height, Self.patience])
    guard let pictures = answer as? [String] else {
      throw Failure(description: "Chromium says: \(answer)")
    }
    return try pictures.map { [UInt8](try #require(Data(base64Encoded: $0))) }
  }

  struct Failure: Error, CustomStringConvertible { let description: String }

  /// The time limit for loading the video and for seeking in it, in seconds.
  private static let patience = 180
  /// The time limit for a whole script and for chromedriver's response, in seconds. Scripts that wait for something say
  /// earlier that it did not happen.
  private static let scriptTime = 900

  private static let script = """
    const [url, times, width, height, patience, done] = arguments;
    // Some events never arrive if a video cannot be played, so the error names the missing one.
    const within = (what, start) => new Promise((resolve, reject) => {
      setTimeout(() => reject(`no ${what} within ${patience} s`), patience * 1000);
      start(resolve, reject);
    });
    (async () => {
      try {
        const file = await (await fetch(url)).blob(), pictures = [];
        for (const time of times) {
          const video = document.createElement("video");
          video.muted = true;
          video.preload = "auto";
          document.body.replaceChildren(video);
          // Drawing a video draws the last presented frame, and `loadeddata` and `seeked` arrive before that.
          const presented = what =>
            within(what, shown => video.requestVideoFrameCallback(shown));
          const first = presented("first frame");
          await within("loadeddata", (loaded, failed) => {
            video.onloadeddata = loaded;
            video.onerror = () => failed(video.error.message);
            video.src = URL.createObjectURL(file);
          });
          await first;
          const sought = presented(`frame after the seek to ${time}`);
          await within(`seeked to ${time}`, seeked => {
            video.onseeked = seeked;
            video.currentTime = time;
          });
          await sought;
          const canvas = document.createElement("canvas");
          [canvas.width, canvas.height] = [width, height];
          const context = canvas.getContext("2d", {willReadFrequently: true});
          context.drawImage(video, 0, 0, width, height);
          const pixels = context.getImageData(0, 0, width, height).data;
          let text = "";
          for (let place = 0; place < pixels.length; place += 4)
            text += String.fromCharCode(pixels[place + 1]);
          pictures.push(btoa(text));
        }
        done(pictures);
      } catch (error) { done(String(error)); }
    })();
    """

  /// A chromedriver with one session. Both end with this object.
  final class Driver {
    private let process: Subprocess
    /// A port below those that the system assigns.
    private let port: Int
    private var session = ""

    init() throws {
      port = Int.random(in: 20_000..<32_000)
      process = Subprocess("/usr/bin/env", ["chromedriver", "--port=\(port)"])
      process.standardOutput = .null
      process.standardError = .null
      try process.run()
      let options: [String: Any] = [
        "args": ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
      ]
      let wanted: [String: Any] = [
        "capabilities": [
          "alwaysMatch": [
            "goog:chromeOptions": options, "timeouts": ["script": Chromium.scriptTime * 1000],
          ]
        ]
      ]
      try waitUntilReady()
      let answer = try call("POST", "/session", wanted) as? [String: Any]
      session = try #require(answer?["sessionId"] as? String)
    }

    deinit {
      if !session.isEmpty { _ = try? call("DELETE", "/session/\(session)", nil) }
      _ = try? call("GET", "/shutdown", nil)
      process.destroy()
    }

    /// Waits until chromedriver listens.
    private func waitUntilReady() throws {
      try blockUntil("chromedriver listens at port \(port)") {
        guard process.isRunning else { throw Failure(description: "chromedriver has ended") }
        let status = try? call("GET", "/status", nil) as? [String: Any]
        return status?["ready"] as? Bool == true
      }
    }

    /// Opens a page.
    func open(_ url: String) throws {
      _ = try call("POST", "/session/\(session)/url", ["url": url])
    }

    /// Runs a script, and returns the value that it passes to its last argument.
    func execute(_ script: String, _ arguments: [Any]) throws -> Any {
      try call(
        "POST", "/session/\(session)/execute/async", ["script": script, "args": arguments])
    }

    /// Sends a request of the session.
    func send(_ method: String, _ path: String, _ body: Any?) throws -> Any {
      try call(method, "/session/\(session)/\(path)", body)
    }

    /// Sends one request. WebDriver's errors are JSON with a status of 4xx or 5xx, and are thrown.
    private func call(_ method: String, _ path: String, _ body: Any?) throws -> Any {
      let input = try body.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data()
      let answer = try Tool.run(
        "curl",
        [
          "-sS", "--noproxy", "*", "--max-time", "\(Chromium.scriptTime + 30)", "-X", method, "-H",
          "Content-Type: application/json",
        ] + (body == nil ? [] : ["--data-binary", "@-"]) + ["http://127.0.0.1:\(port)\(path)"],
        input: input)
      let object = try JSONSerialization.jsonObject(with: answer) as? [String: Any]
      let value = object?["value"] ?? NSNull()
      if let error = value as? [String: Any], let kind = error["error"] as? String {
        throw Failure(description: "\(kind): \(error["message"] ?? "")")
      }
      return value
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test, with a message, if Chromium is absent.
  static var needsChromium: Self {
    .enabled(
      if: Chromium.isPresent, "Chromium is absent: install chromium, chromium-driver and curl")
  }
}
