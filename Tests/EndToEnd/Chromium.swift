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

  /// The luma, widened to 0…255, of what a video shows after its first seek, for each of several times in seconds; the
  /// video is loaded anew for each.
  static func lumaAfterSeeking(
    in path: String, to times: [Double], width: Int, height: Int
  ) throws -> [[UInt8]] {
    let driver = try Driver()
    let url =
      "data:video/webm;base64,"
      + (try Data(contentsOf: URL(filePath: path))).base64EncodedString()
    let answer = try driver.execute(Self.script, [url, times, width, height])
    guard let pictures = answer as? [String] else {
      throw Failure(description: "Chromium says: \(answer)")
    }
    return try pictures.map { [UInt8](try #require(Data(base64Encoded: $0))) }
  }

  struct Failure: Error, CustomStringConvertible { let description: String }

  private static let script = """
    const [url, times, width, height, done] = arguments;
    (async () => {
      try {
        const file = await (await fetch(url)).blob(), pictures = [];
        for (const time of times) {
          const video = document.createElement("video");
          video.muted = true;
          video.preload = "auto";
          document.body.replaceChildren(video);
          await new Promise((loaded, failed) => {
            video.onloadeddata = loaded;
            video.onerror = () => failed(video.error.message);
            video.src = URL.createObjectURL(file);
          });
          await new Promise(seeked => { video.onseeked = seeked; video.currentTime = time; });
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

  /// A chromedriver with one session, both of which end with it.
  private final class Driver {
    private let process = Process()
    private let port = Int.random(in: 20_000..<40_000)
    private var session = ""

    init() throws {
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["chromedriver", "--port=\(port)"]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      let options: [String: Any] = ["args": ["--headless", "--no-sandbox", "--disable-gpu"]]
      let wanted: [String: Any] = [
        "capabilities": [
          "alwaysMatch": ["goog:chromeOptions": options, "timeouts": ["script": 120_000]]
        ]
      ]
      let answer = try call("POST", "/session", wanted) as? [String: Any]
      session = try #require(answer?["sessionId"] as? String)
    }

    deinit {
      if !session.isEmpty { _ = try? call("DELETE", "/session/\(session)", nil) }
      process.terminate()
      process.waitUntilExit()
    }

    func execute(_ script: String, _ arguments: [Any]) throws -> Any {
      try call(
        "POST", "/session/\(session)/execute/async", ["script": script, "args": arguments])
    }

    private func call(_ method: String, _ path: String, _ body: Any?) throws -> Any {
      let input = try body.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data()
      let answer = try Tool.run(
        "curl",
        [
          "-sS", "--noproxy", "*", "--retry", "20", "--retry-connrefused", "--retry-delay", "1",
          "-X", method, "-H", "Content-Type: application/json",
        ] + (body == nil ? [] : ["--data-binary", "@-"]) + ["http://127.0.0.1:\(port)\(path)"],
        input: input)
      let object = try JSONSerialization.jsonObject(with: answer) as? [String: Any]
      return object?["value"] ?? NSNull()
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test, with a message, if Chromium is absent.
  static var needsChromium: Self {
    .enabled(if: Chromium.isPresent, "Chromium is absent: install chromium and chromium-driver")
  }
}
