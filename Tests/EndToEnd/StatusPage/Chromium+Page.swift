import Foundation
import Support

extension Chromium.Driver {
  /// The folder that keeps pictures of the page after the tests: `.build/screenshots`.
  private static let pictures = URL(filePath: #filePath)
    .deletingLastPathComponent().appending(path: "../../../.build/screenshots").standardized

  /// Waits until the JavaScript statements in `body` return something, and returns it.
  ///
  /// - Throws: ``Chromium/Failure`` with what the page shows, if they still return nothing after ``longestWait``.
  @discardableResult
  func wait(_ what: String, _ body: String) throws -> Any {
    let script = """
      const done = arguments[0], end = Date.now() + \(longestWait / .milliseconds(1));
      const $ = selector => document.querySelector(selector), $$ = selector => [...document.querySelectorAll(selector)];
      const nameOf = each => (each.getAttribute("aria-label") ?? each.textContent).trim();
      const named = name => $$("button, a").find(each => each.checkVisibility() && nameOf(each) === name);
      const text = selector => $(selector)?.innerText ?? "";
      const look = () => { \(body) };
      (async () => {
        for (;;) {
          let found, problem = "nothing";
          try { found = look(); } catch (error) { problem = String(error); }
          // An element may be gone before the driver has read it.
          if (found) return done({ found: found instanceof Node ? true : found });
          if (Date.now() > end) return done({ problem: `${problem}; ${location.hash} shows: ${document.body.innerText.slice(0, 2000).replaceAll("\\n", " | ")}` });
          await new Promise(again => setTimeout(again, 40));
        }
      })();
      """
    let answer = try execute(script, []) as? [String: Any] ?? [:]
    guard let found = answer["found"] else {
      throw Chromium.Failure(description: "\(what): \(answer["problem"] ?? answer)")
    }
    return found
  }

  /// Presses the button or link with a name once it is there.
  func press(_ name: String) throws {
    let quoted = String(decoding: try JSONEncoder().encode(name), as: UTF8.self)
    try wait("\(name) can be pressed", "const it = named(\(quoted)); it?.click(); return it;")
  }

  /// Types text into the field that a selector finds, instead of what is there.
  func type(_ text: String, into selector: String) throws {
    let quoted = String(decoding: try JSONEncoder().encode([selector, text]), as: UTF8.self)
    try wait(
      "\(selector) can be written",
      """
      const [selector, text] = \(quoted), it = $(selector);
      if (!it) return;
      it.value = text;
      it.dispatchEvent(new Event("input", { bubbles: true }));
      it.dispatchEvent(new Event("change", { bubbles: true }));
      return true;
      """)
  }

  /// Gives files to a file field.
  func choose(_ paths: [String], in selector: String) throws {
    try wait("\(selector) is there", "return $('\(selector)');")
    let element =
      try send(
        "POST", "element", ["using": "css selector", "value": selector]) as? [String: String]
    let id = element?.values.first ?? ""
    _ = try send("POST", "element/\(id)/value", ["text": paths.joined(separator: "\n")])
  }

  /// Presses keys of the keyboard, one after another.
  func pressKeys(_ keys: [String]) throws {
    let actions = keys.flatMap {
      [["type": "keyDown", "value": $0], ["type": "keyUp", "value": $0]]
    }
    _ = try send(
      "POST", "actions", ["actions": [["type": "key", "id": "keyboard", "actions": actions]]])
  }

  /// Calls Chromium's own protocol.
  func devTools(_ command: String, _ parameters: [String: Any] = [:]) throws {
    _ = try send("POST", "goog/cdp/execute", ["cmd": command, "params": parameters])
  }

  /// Sets the size of the window in pixels of the page, and the color scheme.
  func setWindow(_ width: Int, _ height: Int, isDark: Bool = false, scale: Int = 1) throws {
    try devTools(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": scale, "mobile": false])
    try devTools(
      "Emulation.setEmulatedMedia",
      [
        "features": [
          ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"],
          ["name": "prefers-reduced-motion", "value": "reduce"],
        ]
      ])
  }

  /// Moves the playhead of the page's video, and returns the luma, from 0 to 255, of the frame that it then shows.
  ///
  /// - Parameter frame: how long a frame is shown, in seconds. The frame has to be another one than the current one.
  func lumaAfterSeeking(
    to time: Double, frame: Double, width: Int, height: Int
  ) throws -> [UInt8] {
    let script = """
      const [time, frame, width, height, done] = arguments, video = document.querySelector("video");
      // A callback may miss a frame; seeking again presents it again.
      const again = setInterval(() => video.currentTime = time + 1e-4 * Math.random(), 1000);
      const late = setTimeout(() => {
        clearInterval(again);
        done(`no frame at ${time}; at ${video.currentTime}, ready ${video.readyState}`);
      }, 180_000);
      const look = (_, shown) => {
        // A frame from before the seek may be presented first.
        if (shown.mediaTime > time || shown.mediaTime + frame <= time) return video.requestVideoFrameCallback(look);
        clearTimeout(late);
        clearInterval(again);
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [width, height];
        const context = canvas.getContext("2d", { willReadFrequently: true });
        context.drawImage(video, 0, 0, width, height);
        const pixels = context.getImageData(0, 0, width, height).data;
        let text = "";
        for (let place = 0; place < pixels.length; place += 4) text += String.fromCharCode(pixels[place + 1]);
        done({ pixels: btoa(text) });
      };
      video.pause();
      video.requestVideoFrameCallback(look);
      video.currentTime = time;
      """
    let answer = try execute(script, [time, frame, width, height])
    guard let pixels = (answer as? [String: String])?["pixels"],
      let luma = Data(base64Encoded: pixels)
    else { throw Chromium.Failure(description: "\(answer)") }
    return [UInt8](luma)
  }

  /// Keeps a picture of the window.
  func keepPicture(_ name: String) throws {
    let answer = try send("GET", "screenshot", nil) as? String ?? ""
    try FileManager.default.createDirectory(at: Self.pictures, withIntermediateDirectories: true)
    try Data(base64Encoded: answer)?.write(to: Self.pictures.appending(path: "\(name).png"))
  }

  /// Runs the audit, and returns what it finds.
  func audit() throws -> [String] {
    let script = "const done = arguments[0]; done((() => { \(PageAudit.script) })());"
    return try execute(script, []) as? [String] ?? ["the audit did not run"]
  }
}
