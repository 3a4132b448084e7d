import HTTP
import Support
import Testing

@Suite(.mayBlock) struct AcceptEncodingTests {
  @Test(
    arguments: [
      (["gzip"], true), (["gzip, deflate, br"], true), (["br", "x-gzip;q=0.5"], true),
      (["GZIP ; Q=1"], true), (["*"], true), (["*;q=0, gzip;q=0.1"], true),
      ([], false), ([""], false), (["br"], false), (["identity"], false), (["gzip;q=0"], false),
      (["gzip;q=0.0, *"], false), (["gzip;q=much"], false), (["gzipped"], false),
      (["gzip; q = 0"], false), (["gzip;q=0.1, identity"], false), (["gzip, identity"], true),
    ] as [([String], Bool)])
  func `the header Accept-Encoding tells whether gzip is accepted`(
    values: [String], isAccepted: Bool
  ) {
    var headers = Headers()
    for value in values { headers.add("Accept-Encoding", value) }
    #expect(headers.acceptsGzip == isAccepted)
  }
}
