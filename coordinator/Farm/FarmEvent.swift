import FarmAPI

/// An event for a client that watches the farm.
package struct FarmEvent: Hashable, Sendable {
  /// The kind, which determines the type of the data.
  package let kind: EventKind
  /// A wire type as JSON. It is encoded once, and shared by all clients that receive it.
  package let data: String
  /// The id with which a client that reconnects continues after this event.
  package let id: String
  /// Whether the client's stream begins with it.
  package var isFirst = false
}
