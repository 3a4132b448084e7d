/// The security of a test's coordinator. Tests that restart a coordinator run with both values. A coordinator in the
/// test's own process uses tokens, but not TLS.
public enum FarmSecurity: String, CaseIterable, Sendable {
  case open = "loopback, without tokens"
  case secured = "tokens and TLS"
}
