import Crypto
import Planning
import Preparation
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct TableDigestTests {
  private func segment(_ number: Int, _ method: SegmentMethod?) -> PlannedSegment {
    PlannedSegment(
      frames: number * 10..<(number + 1) * 10, cost: 100, peakMemory: 5,
      part: PlanPart(offset: 7, length: 3, digest: Digest.of(Array("part".utf8))),
      content: Digest.of(Array("content".utf8)), assets: [Digest.of(Array("asset".utf8))],
      method: method)
  }

  @Test func `the rows of earlier versions keep their digests`() throws {
    let methods = [nil, .copied, SegmentMethod.encoded(beforeKeyframeAt: try RationalTime(36, 5))]
    // Computed with Python's hashlib and struct from the form in which they were stored.
    let expected = [
      "54ceb68dab3c7686cf8c9964726d1c66a0343c5604a0408b2620939e20515910",
      "5af648f550fa78e534f381d53934e40b541ec65454cfb060dc8d6ab0918f2c2d",
      "65d02a9b3888e98b96bb2fb23ad19072100bc6c80b0563f06ac0fae52b51597f",
    ]
    var table = TableDigest()
    for (number, method) in methods.enumerated() {
      table.add(segment(number, method))
      #expect(table.digest.description == expected[number])
    }
  }

  @Test func `further reasons change the digest`() {
    var mixed = SegmentMethod(.blended)
    var digests: Set<Digest> = []
    for others in [[:], [.size: 1], [.size: 2], [.layout: 1]] as [[SegmentMethod.Kind: Int]] {
      mixed.others = others
      var table = TableDigest()
      table.add(segment(0, mixed))
      digests.insert(table.digest)
    }
    #expect(digests.count == 4)
  }
}
