import Recording
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct TransportStreamTests {
  /// A packet of a transport stream.
  private func packet(
    _ number: Int, counter: Int, begins: Bool = false, fill: Int? = nil, discontinuity: Bool = false
  ) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xAA, count: TransportStreamFilter.packetSize)
    bytes[0] = 0x47
    bytes[1] = UInt8(number >> 8) | (begins ? 0x40 : 0)
    bytes[2] = UInt8(number & 0xFF)
    bytes[3] = 0x10 | UInt8(counter & 0xF)
    if fill != nil || discontinuity {
      bytes[3] |= 0x20
      bytes[4] = UInt8(fill ?? 1)
      bytes[5] = discontinuity ? 0x80 : 0
    }
    return bytes
  }

  /// Passes packets through a filter, some bytes at a time.
  private func filtered(
    _ packets: [[UInt8]], in pieces: Int = 1000
  ) -> (filter: TransportStreamFilter, passed: [UInt8]) {
    var filter = TransportStreamFilter()
    let bytes = packets.flatMap(\.self)
    var passed: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      passed += bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes { filter.add($0) }
    }
    return (filter, passed)
  }

  private func monitor(_ packets: [[UInt8]], in pieces: Int = 1000) -> TransportStreamFilter {
    filtered(packets, in: pieces).filter
  }

  @Test(arguments: [1, 7, 188, 1000]) func `a whole stream has no losses`(pieces: Int) {
    var monitor = monitor((0..<40).map { packet(256, counter: $0) }, in: pieces)
    #expect(monitor.takeLoss(of: 256, upTo: .max) == nil)
  }

  @Test(arguments: [1, 7, 188, 1000]) func `a loss is found at the packet after it`(pieces: Int) {
    var monitor = monitor(
      [0, 1, 2, 4, 5].map { packet(256, counter: $0) } + [packet(257, counter: 9)], in: pieces)
    #expect(monitor.takeLoss(of: 256, upTo: 3 * 188 - 1) == nil)
    #expect(
      monitor.takeLoss(of: 256, upTo: 3 * 188)
        == StreamLoss(offset: 3 * 188, isBetweenUnits: false))
    #expect(monitor.takeLoss(of: 256, upTo: .max) == nil)
    #expect(monitor.takeLoss(of: 257, upTo: .max) == nil)
  }

  @Test func `a loss after a unit that ends and before one that begins is between them`() {
    var monitor = monitor([
      packet(256, counter: 0), packet(256, counter: 1, fill: 20),
      packet(256, counter: 5, begins: true),
    ])
    #expect(monitor.takeLoss(of: 256, upTo: .max)?.isBetweenUnits == true)
  }

  /// A packet whose content differs from that of others.
  private func named(_ counter: Int) -> [UInt8] {
    var bytes = packet(256, counter: counter)
    bytes[100] = UInt8(counter)
    return bytes
  }

  @Test func `packets that arrive twice are left out, one by one or as a datagram`() {
    let packets = (0..<14).map(named)
    let single = filtered(packets.flatMap { [$0, $0] })
    #expect(single.passed == packets.flatMap(\.self))
    let datagrams = [Array(packets[..<7]), Array(packets[7...])].flatMap { $0 + $0 }
    var (filter, passed) = filtered(datagrams)
    #expect(passed == packets.flatMap(\.self))
    let loss = filter.takeLoss(of: 256, upTo: .max)
    #expect(loss == nil)
  }

  @Test func `packets that arrive after later ones are left out, and count as lost`() {
    let packets = (0..<40).map(named)
    let swapped = packets[..<7] + packets[14..<21] + packets[7..<14] + packets[21...]
    var (filter, passed) = filtered(Array(swapped))
    #expect(passed == (packets[..<7] + packets[14...]).flatMap(\.self))
    let loss = filter.takeLoss(of: 256, upTo: .max)
    #expect(loss?.offset == Int64(7 * 188))
    let another = filter.takeLoss(of: 256, upTo: .max)
    #expect(another == nil)
  }

  @Test func `a counter may restart if its packet announces it`() {
    var monitor = monitor([
      packet(256, counter: 4), packet(256, counter: 9, discontinuity: true),
      packet(256, counter: 10),
    ])
    #expect(monitor.takeLoss(of: 256, upTo: .max) == nil)
  }

  @Test func `bytes between packets count as a loss of every substream`() {
    let packets = (0..<4).map { packet(256, counter: $0) }
    var monitor = monitor(
      Array(packets[..<2]) + [[UInt8](repeating: 0, count: 50)] + Array(packets[2...]))
    #expect(monitor.takeLoss(of: 256, upTo: .max)?.offset == Int64(376))
  }

  @Test func `a unit whose last packet has padding seems complete`() {
    #expect(
      monitor([packet(256, counter: 0), packet(256, counter: 1)]).seemsComplete(256) == false)
    let complete = monitor([packet(256, counter: 0), packet(256, counter: 1, fill: 9)])
    #expect(complete.seemsComplete(256) == true)
  }

  @Test func `packets of sound follow one another although times are rounded`() throws {
    var grid = SampleGrid(sampleRate: 44_100)
    for number in 0..<10_000 as Range<Int64> {
      let time = try RationalTime(number * 1024, 44_100).ticks(of: RationalTime(1, 90_000))
      let place = try grid.place(try RationalTime(time, 90_000), sampleCount: 1024)
      #expect(place == number * 1024)
    }
  }

  @Test func `packets of sound have the samples of their codec although lengths are rounded`()
    throws
  {
    let millisecond = try RationalTime(1, 1000)
    let grid = SampleGrid(sampleRate: 48_000, packetSize: 1024)
    for length in [21, 22] as [Int64] {
      let stated = try RationalTime(length, 1000)
      #expect(try grid.packetSize(for: stated, roundedTo: millisecond) == 1024)
    }
    // A length that is not rounded counts as it is stated.
    let short = try RationalTime(10, 1000)
    #expect(try grid.packetSize(for: short, roundedTo: millisecond) == 480)
    let unknown = SampleGrid(sampleRate: 48_000)
    #expect(try unknown.packetSize(for: RationalTime(21, 1000), roundedTo: millisecond) == 1008)
  }

  @Test func `late sound leaves a gap, and early sound is left out`() throws {
    var grid = SampleGrid(sampleRate: 48_000)
    #expect(try grid.place(.zero, sampleCount: 1024) == 0)
    #expect(try grid.place(RationalTime(1), sampleCount: 1024) == 48_000)
    #expect(try grid.place(RationalTime(1), sampleCount: 1024) == nil)
    #expect(try grid.place(RationalTime(1024 + 48_100, 48_000), sampleCount: 1024) == 49_024)
  }
}
