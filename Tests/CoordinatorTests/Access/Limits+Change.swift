import sheaf_coordinator

extension Limits {
  /// Creates the default limits with changes.
  init(_ change: (inout Limits) -> Void) {
    self.init()
    change(&self)
  }
}
