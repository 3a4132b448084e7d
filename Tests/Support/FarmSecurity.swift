/// The access to a test's coordinator. Tests that restart a coordinator run with both; one in the test's own process
/// has tokens but no TLS.
public enum FarmSecurity: String, CaseIterable, Sendable {
  case open = "loopback, without tokens"
  case secured = "tokens and TLS"
}
