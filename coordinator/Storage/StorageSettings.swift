/// How much a coordinator keeps, and how much it leaves free.
package struct StorageSettings: Hashable, Sendable {
  /// Bytes of the data directory's disk that new work leaves free.
  package var reserve: Int64 = 128 << 20

  /// The defaults.
  package init() {}

  /// Takes an argument of `serve` with its value.
  ///
  /// - Returns: whether it is one of these.
  /// - Throws: ``UsageError`` where the value makes no sense.
  mutating func take(
    _ argument: String, _ value: () throws(UsageError) -> String
  ) throws(UsageError) -> Bool {
    switch argument {
    case "--reserve-bytes": reserve = try Self.bytes(argument, value())
    default: return false
    }
    return true
  }

  private static func bytes(_ argument: String, _ text: String) throws(UsageError) -> Int64 {
    guard let number = Int64(text), (0...(1 << 50)).contains(number) else {
      throw UsageError("\(argument) '\(text)' is not a number of bytes: write 0 to 2^50")
    }
    return number
  }

  static let usage = """
      --reserve-bytes N    bytes of the disk that new work leaves free (134217728)
    """
}
