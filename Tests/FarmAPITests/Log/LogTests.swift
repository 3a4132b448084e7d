import FarmAPI
import Foundation
import Support
import Synchronization
import Testing

@Suite(.mayBlock) struct LogTests {
  private static let time = Date(timeIntervalSince1970: 1_795_596_001.25)

  /// The lines that a log writes.
  private func lines(
    _ level: Log.Level = .normal, as format: Log.Format = .logfmt, _ body: (Log) -> Void
  ) -> [String] {
    let lines = Mutex<[String]>([])
    body(
      Log(
        level, as: format, write: { line in lines.withLock { $0.append(line) } },
        now: { Self.time }))
    return lines.withLock { $0 }
  }

  @Test func `a line has the time in milliseconds, a level, a message and fields`() {
    let written = lines { log in
      log.about(["worker": "rack", "host": "h1"]).about(["job": "j1", "segment": "3"])
        .error("cannot open", ["because": "no such file"])
    }
    #expect(
      written == [
        "time=2026-11-25T08:40:01.250Z level=error msg=\"cannot open\" "
          + "because=\"no such file\" job=j1 segment=3 worker=rack host=h1\n"
      ])
  }

  @Test func `a JSON line is an object with numbers where numbers belong`() throws {
    let written = lines(as: .json) { log in
      log.info("a \"b\" \\ c", ["job": "12", "segment": "3", "attempt": "1", "ms": "0.5"])
    }
    let line = try #require(written.first)
    #expect(
      line == #"{"time":"2026-11-25T08:40:01.250Z","level":"info","msg":"a \"b\" \\ c","#
        + #""job":"12","segment":3,"attempt":1,"ms":0.5}"# + "\n")
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    #expect(object?["msg"] as? String == #"a "b" \ c"#)
  }

  @Test func `a level leaves out what is less important`() {
    let say: (Log) -> Void = { log in
      log.error("one")
      log.info("two")
      log.detail("three")
    }
    #expect(lines(.quiet, say).count == 1)
    #expect(lines(.normal, say).count == 2)
    #expect(lines(.verbose, say).count == 3)
  }

  @Test(arguments: Log.Format.allCases)
  func `text from outside cannot forge a line or a field, or control a terminal`(
    format: Log.Format
  ) throws {
    let hostile = "a\" level=info job=forged\nb\r\u{1b}[2K\u{9b}m\u{202e}\0\\"
    let written = lines(as: format) { $0.error(hostile, ["because": hostile]) }
    #expect(written.count == 1)
    let line = try #require(written.first).dropLast()
    #expect(!line.contains("\n") && PrintableText(String(line)).description == line)
    let safe = #"a" level=info job=forged | b | \u{1B}[2K\u{9B}m\u{202E}\u{0}\"#
    switch format {
    case .json:
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
      #expect(object?["msg"] == safe && object?["because"] == safe)
      #expect(object?.count == 4)
    case .logfmt:
      let quoted = safe.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      #expect(line.hasSuffix("msg=\"\(quoted)\" because=\"\(quoted)\""))
    }
  }

  @Test func `a value with one word is not quoted, and an empty one is`() throws {
    let written = lines { $0.info("leased", ["a": "", "b": "x:y/z", "c": "x=y"]) }
    #expect(try #require(written.first).hasSuffix("msg=leased a=\"\" b=x:y/z c=\"x=y\"\n"))
  }

  @Test func `the query of a URL is not logged`() throws {
    let written = lines { $0.error("GET https://host/a?token=secret failed") }
    #expect(try !#require(written.first).contains("secret"))
  }

  @Test(arguments: Log.Format.allCases)
  func `a long log line is truncated and says so`(format: Log.Format) throws {
    let long = String(repeating: "é\"", count: 32 << 10)
    let written = lines(as: format) {
      $0.error("failed", ["because": long, "path": long, "job": "j1"])
    }
    let line = try #require(written.first)
    #expect(line.utf8.count <= LogRecord.longest + 1)
    #expect(line.contains("(cut: 98304 bytes)") && line.contains("j1"))
  }
}
