import HTTP
import Support
import Testing

@Suite(.mayBlock) struct PreferTests {
  @Test(
    arguments: [
      (["wait=20"], 20), (["respond-async, Wait = 5"], 5), (["return=minimal", "wait=0; x=y"], 0),
      ([], nil), (["wait"], nil), (["wait=-1"], nil), (["wait=soon"], nil), (["waiting=3"], nil),
      (["wait=99999999999999999999"], nil),
    ] as [([String], Int?)])
  func `the preferred wait is read from the header Prefer`(values: [String], seconds: Int?) {
    var headers = Headers()
    for value in values { headers.add("Prefer", value) }
    #expect(headers.preferredWait == seconds.map { .seconds($0) })
  }
}
