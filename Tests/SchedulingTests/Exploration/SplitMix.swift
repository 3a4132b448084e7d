/// SplitMix64 by Sebastiano Vigna: the same sequence for the same seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number in a range.
  mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  /// True once in so many times.
  mutating func once(in count: Int) -> Bool { number(0..<count) == 0 }
}
