/// The standard library's `Atomic` over a ``Mutex``, for builds under ThreadSanitizer alone.
///
/// Every ordering is at least as strong as the requested one.
public struct Atomic<Value: Equatable & Sendable>: ~Copyable, Sendable {
  private let value: Mutex<Value>

  /// Creates an atomic value.
  public init(_ value: Value) {
    self.value = Mutex(value)
  }

  /// The current value.
  public borrowing func load(ordering: AtomicOrdering) -> Value {
    value.withLock { $0 }
  }

  /// Changes the value.
  public borrowing func store(_ desired: Value, ordering: AtomicOrdering) {
    value.withLock { $0 = desired }
  }

  /// Changes the value, and returns the earlier one.
  public borrowing func exchange(_ desired: Value, ordering: AtomicOrdering) -> Value {
    value.withLock { value in
      defer { value = desired }
      return value
    }
  }
}

extension Atomic where Value: FixedWidthInteger {
  /// Adds to the value, and returns it from before and after.
  @discardableResult
  public borrowing func add(
    _ operand: Value, ordering: AtomicOrdering
  ) -> (oldValue: Value, newValue: Value) {
    value.withLock { value in
      let old = value
      value += operand
      return (old, value)
    }
  }
}

/// How accesses to other memory are ordered around an atomic one.
public enum AtomicOrdering: Sendable {
  case relaxed
  case acquiring
  case releasing
  case acquiringAndReleasing
  case sequentiallyConsistent
}
