import Arguments
import Support
import Testing

@Suite(.mayBlock) struct ScaledNumberTests {
  @Test(arguments: [
    ("4096", 4096), ("64k", 65_536), ("64M", 64 << 20), ("64MiB", 64 << 20), ("1.5G", 3 << 29),
    ("4GB", 4_000_000_000), ("2 TiB", 2 << 40), ("10B", 10),
  ])
  func `bytes may have a binary or a decimal unit`(text: String, count: Int64) {
    #expect(ScaledNumber.bytes(text) == count)
  }

  @Test(arguments: [
    ("4000000", 4_000_000), ("4M", 4_000_000), ("128k", 128_000), ("2.5Mbps", 2_500_000),
    ("800 kbit/s", 800_000), ("1g", 1_000_000_000),
  ])
  func `a bit rate may have a decimal unit`(text: String, rate: Int64) {
    #expect(ScaledNumber.bitRate(text) == rate)
  }

  @Test(arguments: [
    "", "M", "-4M", "4X", "1.5", "1.M", ".5M", "1e6", "9999999999999T", "4MM", "4 4",
  ])
  func `anything else is rejected`(text: String) {
    #expect(ScaledNumber.bytes(text) == nil)
    #expect(ScaledNumber.bitRate(text) == nil)
  }
}
