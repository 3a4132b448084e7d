/// Comparisons whose duration says nothing about where two secrets differ.
public enum ConstantTime {
  /// Whether two secrets are equal. The time taken depends on their lengths alone.
  public static func equal(_ left: String, _ right: String) -> Bool {
    let left = Array(left.utf8)
    let right = Array(right.utf8)
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
