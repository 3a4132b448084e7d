import HTTP
import Support
import Testing

@Suite(.mayBlock) struct StatusTests {
  @Test(arguments: [
    (404, "404 Not Found"), (425, "425 Too Early"), (502, "502 Bad Gateway"),
    (504, "504 Gateway Timeout"), (507, "507 Insufficient Storage"), (599, "599 Unknown Status"),
  ])
  func `the description of a status is its code and phrase`(code: Int, description: String) {
    #expect(Status(rawValue: code).description == description)
  }
}
