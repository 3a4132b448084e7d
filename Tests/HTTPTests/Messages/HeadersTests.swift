import HTTP
import Support
import Testing

@Suite(.mayBlock) struct HeadersTests {
  @Test(arguments: ["Content-Type", "content-type", "CONTENT-TYPE"])
  func `field names are case-insensitive`(_ name: String) {
    let headers: Headers = ["Content-Type": "text/plain"]
    #expect(headers[name] == "text/plain")
  }

  @Test func `setting a field replaces every value with its name`() {
    var headers: Headers = ["A": "1", "B": "2", "a": "3"]
    #expect(headers.values(of: "A") == ["1", "3"])
    headers["a"] = "4"
    #expect(headers.values(of: "A") == ["4"])
    headers["A"] = nil
    #expect(headers.fields.map(\.name) == ["B"])
  }

  @Test func `adding a field keeps other fields with its name`() {
    var headers: Headers = ["A": "1"]
    headers.add("a", "2")
    #expect(headers.values(of: "A") == ["1", "2"])
    #expect(headers["A"] == "1")
  }
}
