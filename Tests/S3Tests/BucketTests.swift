import S3
import Support
import Testing

@Suite(.mayBlock) struct BucketTests {
  @Test func `Amazon's buckets are in the host name, and those of other stores in the path`() throws
  {
    let amazon = try Bucket("s3://farm/films/a/", region: "eu-central-1")
    #expect(amazon.host == "farm.s3.eu-central-1.amazonaws.com")
    #expect(amazon.path(of: "chunks/b c") == "/films/a/chunks/b%20c")
    #expect(amazon.path(of: nil) == "/")
    // Amazon's certificates do not cover names with dots.
    let dotted = try Bucket("s3://farm.example")
    #expect(
      dotted.host == "s3.us-east-1.amazonaws.com" && dotted.path(of: "a") == "/farm.example/a")
    let other = try Bucket("s3://farm", endpoint: "http://store.example:9000/")
    #expect(other.host == "store.example:9000" && other.path(of: "a") == "/farm/a")
    #expect(other.path(of: nil) == "/farm")
    #expect("\(amazon)" == "s3://farm/films/a" && "\(other)" == "s3://farm")
  }

  @Test(arguments: [
    "farm", "https://farm", "s3://", "s3:///a", "s3://Farm", "s3://farm/../a", "s3://farm/a?b",
    "s3://farm/ä",
  ])
  func `other names are rejected`(text: String) {
    #expect { try Bucket(text) } throws: { error in
      (error as? S3Error)?.code == .invalidName && "\(error)".contains("'\(text)'")
    }
  }

  @Test(arguments: ["store", "ftp://store", "http://", "http://store/path", "http://user@store"])
  func `an endpoint must be a URL without a path`(endpoint: String) {
    #expect(throws: S3Error.self) { try Bucket("s3://farm", endpoint: endpoint) }
  }

  /// OpenStack Swift accepts 1,000 parts, and no store accepts parts of more than 5 GiB.
  @Test(arguments: [(1 << 30, 64), (17 << 30, 1_000), (4 << 40, 1_000), (5 << 40, 1_024)])
  func `a large file has at most 1,000 parts, unless these are too large`(
    byteCount: Int64, count: Int64
  ) {
    let size = MultipartUpload.partSize(for: byteCount, usual: 16 << 20)
    #expect((byteCount + size - 1) / size == count)
    #expect(size <= 5 << 30)
  }
}
