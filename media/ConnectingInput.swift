import Sheaf

/// An input that exchanges messages with its peer before the stream begins.
protocol ConnectingInput: LiveInput {
  /// Waits until the stream can begin. Blocks.
  ///
  /// - Parameter isWanted: called repeatedly while waiting; if it returns `false`, the wait ends.
  /// - Returns: whether the stream can begin; `false` if it is no longer wanted.
  func connect(while isWanted: () -> Bool) throws -> Bool
}
