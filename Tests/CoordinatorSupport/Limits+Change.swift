import sheaf_coordinator

extension Limits {
  /// Creates the default limits with changes.
  package init(_ change: (inout Limits) -> Void) {
    self.init()
    change(&self)
  }
}
