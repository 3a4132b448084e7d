/// The conditions under which a worker exits by itself. Each is unlimited by default.
package struct ExitConditions: Hashable, Sendable {
  /// How long the worker may have nothing to render or deliver.
  package var idleTime: Duration?
  /// How long the worker may take leases.
  package var lifetime: Duration?

  package init(idleTime: Duration? = nil, lifetime: Duration? = nil) {
    self.idleTime = idleTime
    self.lifetime = lifetime
  }
}
