/// The security of a test's coordinator. A coordinator in the test's own process uses tokens, but not TLS.
public enum FarmSecurity: String, CaseIterable, Sendable {
  case open = "loopback, without tokens"
  case secured = "tokens and TLS"

  /// The values with which tests that restart a coordinator run: both in a thorough run, otherwise the one that has more
  /// to lose. Most other tests of farms use an open one.
  public static let tried: [FarmSecurity] = Thoroughness.isFull ? allCases : [.secured]
}
