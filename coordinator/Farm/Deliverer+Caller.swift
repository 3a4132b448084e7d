extension Deliverer {
  /// The deliverer of the chunks that a caller sends.
  package init(_ caller: Caller) {
    token = caller.token
    name = caller.name
  }
}
