import HTTP
import Synchronization

/// Whether a coordinator has ever answered. Once one has, the addresses have the right scheme.
final class FirstContact: Sendable {
  private let state = Atomic(false)

  var hasAnswered: Bool { state.load(ordering: .relaxed) }

  /// Records that it has answered.
  func answered() { state.store(true, ordering: .relaxed) }
}

extension SchemeMismatch {
  /// The mistake in one line: what is wrong, with which address, and what to do.
  var message: String {
    "\(problem(of: "the coordinator")): \(url): "
      + remedy(for: "the coordinator", with: "--tls-certificate")
  }
}
