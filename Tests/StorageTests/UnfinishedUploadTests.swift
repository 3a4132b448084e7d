import CoordinatorSupport
import Crypto
import Support
import Testing
import sheaf_coordinator

/// The uploads that owners have begun and not finished.
@Suite(.mayBlock) struct UnfinishedUploadTests {
  private let digests = (0..<3).map { Digest.of(Array("asset \($0)".utf8)) }

  /// The number and the bytes of the other uploads that an owner has not finished when it announces one.
  private func others(
    _ uploads: UnfinishedUploads, besides digest: Digest, of owner: String = "ada"
  ) -> [Int64] {
    var uploads = uploads
    let others = uploads.announce(digest, of: owner, total: 1).others
    return [Int64(others.count), others.byteCount]
  }

  @Test func `an owner's other uploads are counted with their latest sizes`() {
    var uploads = UnfinishedUploads()
    uploads.set(digests[0], of: "ada", to: 5)
    uploads.set(digests[0], of: "ada", to: 7)
    uploads.set(digests[1], of: "ada", to: 10)
    uploads.set(digests[2], of: "bob", to: 100)
    #expect(others(uploads, besides: digests[2]) == [2, 17])
    #expect(others(uploads, besides: digests[0]) == [1, 10])
    #expect(others(uploads, besides: digests[0], of: "bob") == [1, 100])
    uploads.set(digests[1], of: "ada", to: nil)
    uploads.set(digests[1], of: "ada", to: nil)
    #expect(others(uploads, besides: digests[2]) == [1, 7])
    uploads.set(digests[0], of: "ada", to: nil)
    #expect(others(uploads, besides: digests[2]) == [0, 0])
  }

  @Test func `an announced upload counts once, with the size that it will have`() {
    var uploads = UnfinishedUploads()
    uploads.set(digests[0], of: "ada", to: 5)
    let first = uploads.announce(digests[0], of: "ada", total: 20).number
    let second = uploads.announce(digests[0], of: "ada", total: 20).number
    let third = uploads.announce(digests[1], of: "ada", total: 30).number
    #expect(others(uploads, besides: digests[2]) == [2, 50])
    #expect(others(uploads, besides: digests[0]) == [1, 30])
    #expect(others(uploads, besides: digests[2], of: "bob") == [0, 0])
    // The asset with a partial file still counts. The one whose upload never began does not.
    for number in [first, second, third] { uploads.retract(number, of: "ada") }
    #expect(others(uploads, besides: digests[2]) == [1, 5])
  }
}
