import Foundation
import Support
import Testing

/// Modules of the status page that compute something, run in the page.
@Suite(.mayBlock, .needsChromium, .timeLimit(.minutes(15))) struct PageModuleTests {
  /// Imports modules, and returns the value of an expression with their names, as text.
  private static func values(_ expressions: [String]) throws -> [String] {
    let farm = try PageFarm()
    let script = """
      const done = arguments[0];
      (async () => {
        try {
          const names = ["text", "time", "strip", "sequence", "sha256", "findings"];
          const [text, time, strip, sequence, sha256, findings] =
            await Promise.all(names.map(name => import(`/page/${name}.js`)));
          const all = [\(expressions.map { "await (async () => \($0))()" }.joined(separator: ", "))];
          done(all.map(each => typeof each === "string" ? each : JSON.stringify(each)));
        } catch (error) { done([String(error)]); }
      })();
      """
    return try farm.page.execute(script, []) as? [String] ?? []
  }

  @Test func `times, shares and strips are written as people read them`() throws {
    let space = "\u{A0}"
    let cases = [
      (#"time.timecode(35751, 1 / 25)"#, "00:23:50:01"),
      (#"time.timecode(30, 1001 / 30000)"#, "00:00:01:00"),
      (#"time.duration(182)"#, "3\(space)min 02\(space)s"),
      (#"time.duration(1.94)"#, "1.9\(space)s"),
      (#"text.percent(999, 1000)"#, "99\(space)%"),
      (#"text.bytes(1.4 * 2 ** 40)"#, "1.4\(space)TiB"),
      (#"text.speed(340, 1 / 25)"#, "13.6×"), (#"sequence.parseTime("0:02.5")"#, "2.5"),
      (#"sequence.parseTime("00:01:02")"#, "62"),
      (#"sequence.parseTime("soon") ?? "none""#, "none"),
      (#"strip.parseStrip("c10,r5,w85").map(run => run.end)"#, "[10,15,100]"),
      (
        #"strip.describe(strip.parseStrip("c10,f5,w85"), 100)"#,
        words("10 copied, 85 waiting, 5 failed")
      ),
      (#"strip.playable({ strip: "c10,e5,r5,e80" })"#, "15"),
      (
        #"sequence.filesIn({ sequence: [{ clip: "a.mp4" }, { clip: "http://b/c.mp4" }], music: [{ clip: "d.m4a" }] })"#,
        #"["a.mp4","d.m4a"]"#
      ),
    ]
    #expect(try Self.values(cases.map(\.0)) == cases.map(\.1))

    func words(_ text: String) -> String {
      text.replacing(#/(\d+) /#) { "\($0.1)\(space)% " }
    }
  }

  @Test func `a finding belongs to the clip, the transition or the setting that its steps name`()
    throws
  {
    let places = #"[{ clip: "a" }, { clip: "b", field: "transition" }, { clip: "b" }]"#
    let cases = [
      (#"["sequence", "2", "out"]"#, #"["b","out",null]"#),
      (#"["sequence", "1", "duration"]"#, #"["b","transition",null]"#),
      (#"["sequence", "3"]"#, "[null,null,null]"),
      (#"["export", "preset"]"#, #"[null,null,"preset"]"#), ("[]", "[null,null,null]"),
    ]
    let expressions = cases.map { steps, _ in
      """
      {
        const [each] = findings.placed([{ steps: \(steps), message: "wrong" }], \(places), false);
        return [each.clip, each.field, each.setting];
      }
      """
    }
    #expect(try Self.values(expressions) == cases.map(\.1))
  }

  @Test func `the hash of a file in pieces is the browser's own`() throws {
    let hashes = try Self.values([
      """
      {
        const bytes = new Uint8Array(1_000_003).map((_, place) => place * 7), hash = new sha256.SHA256();
        for (const [first, end] of [[0, 1], [1, 70], [70, 700_000], [700_000, 1_000_003]])
          hash.update(bytes.subarray(first, end));
        return hash.digest();
      }
      """,
      """
      {
        const bytes = new Uint8Array(1_000_003).map((_, place) => place * 7);
        return [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))]
          .map(byte => byte.toString(16).padStart(2, "0")).join("");
      }
      """,
    ])
    try #require(hashes.count == 2, "\(hashes)")
    #expect(hashes[0] == hashes[1])
  }
}
