import RTMP
import Support
import Testing

/// Values of commands.
@Suite(.mayBlock) struct AMFTests {
  @Test func `encoded values can be read again`() throws {
    let values: [AMFValue] = [
      .string("connect"), .number(1.5), .boolean(true), .null,
      .object([
        AMFValue.Property(name: "app", value: .string("live")),
        AMFValue.Property(name: "codecs", value: .list([.number(1), .number(2)])),
      ]),
    ]
    #expect(try AMFReader.values(in: AMFValue.encode(values)[...]) == values)
  }

  @Test func `values that only senders use are read`() throws {
    let map: [UInt8] = [8, 0, 0, 0, 1, 0, 1, 97, 5, 0, 0, 9]
    let date: [UInt8] = [11, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 0, 0]
    let text: [UInt8] = [12, 0, 0, 0, 1, 98]
    let values = try AMFReader.values(in: (map + date + text + [6])[...])
    #expect(
      values == [
        .object([AMFValue.Property(name: "a", value: .null)]), .number(1), .string("b"), .null,
      ])
  }

  @Test(
    arguments: [
      [0, 1], [2, 0, 9, 97], [3, 0, 1, 97], [9], [99], [12, 0xFF, 0xFF, 0xFF, 0xFF],
      [10, 0xFF, 0xFF, 0xFF, 0xFF, 5],
    ] as [[UInt8]])
  func `bytes that are not values are errors`(bytes: [UInt8]) {
    #expect(throws: RTMPError.self) { try AMFReader.values(in: bytes[...]) }
  }

  @Test func `values inside many others are an error`() {
    let lists = (0..<100).flatMap { _ in [10, 0, 0, 0, 1] as [UInt8] }
    #expect(throws: RTMPError.self) { try AMFReader.values(in: (lists + [5])[...]) }
  }
}
