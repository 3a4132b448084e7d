import Foundation

/// Lets real time pass for a test whose subject is real time, such as a peer that is slow or suspended.
///
/// A test never proves with it that something happened or did not happen: ``eventually(within:_:file:line:isolation:_:)``
/// waits for events, and injected clocks make time pass.
///
/// - Parameter reason: why no event and no injected clock can take its place.
public func pause(for length: Duration, because reason: StaticString) async throws {
  try await Task.sleep(for: length)
}

/// Blocks the thread while real time passes; see the asynchronous variant.
public func pause(for length: Duration, because reason: StaticString) {
  let (seconds, attoseconds) = length.components
  Thread.sleep(forTimeInterval: Double(seconds) + Double(attoseconds) / 1e18)
}

/// Suspends a task until it is cancelled.
public func untilCancelled() async throws -> Never {
  while true { try await Task.sleep(for: .seconds(3600)) }
}
