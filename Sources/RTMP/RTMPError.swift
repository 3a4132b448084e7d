/// A violation of the protocol by a sender.
public struct RTMPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A clause that states what was wrong.
  public let description: String

  init(_ description: String) { self.description = description }
}
