/// The limit of a wait whose caller states none. It bounds only waits that fail, so it is generous: on a busy machine,
/// rendering a minute of film can take more than a minute.
public let longestWait = Duration.seconds(180)

/// A wait that reached its limit.
public struct StillWaiting: Error, CustomStringConvertible {
  /// The failure in words: the place of the wait, what was expected, and the last value.
  public let description: String

  fileprivate init(_ limit: Duration, _ what: String, last: String, _ file: String, _ line: Int) {
    description = "\(file):\(line): not within \(limit): \(what); the last value was \(last)"
  }
}

/// Looks at a value until it satisfies a condition.
///
/// - Parameters:
///   - limit: bounds only a wait that fails.
///   - what: the expected event, as a clause such as "the job renders".
///   - interval: the pause between two looks.
/// - Returns: the first value that satisfies the condition.
/// - Throws: ``StillWaiting`` after the limit, and whatever the closures throw.
@discardableResult
public func eventually<Value>(
  within limit: Duration = longestWait, _ what: String,
  every interval: Duration = .milliseconds(5), file: String = #fileID, line: Int = #line,
  isolation: isolated (any Actor)? = #isolation,
  _ value: () async throws -> Value, satisfies condition: (Value) throws -> Bool
) async throws -> Value {
  let deadline = ContinuousClock.now + limit
  while true {
    let last = try await value()
    if try condition(last) { return last }
    guard ContinuousClock.now < deadline else {
      throw StillWaiting(limit, what, last: "\(last)", file, line)
    }
    try await Task.sleep(for: interval)
  }
}

/// Checks a condition until it holds.
///
/// - Throws: ``StillWaiting`` after the limit, and whatever the condition throws.
public func eventually(
  within limit: Duration = longestWait, _ what: String,
  every interval: Duration = .milliseconds(5), file: String = #fileID, line: Int = #line,
  isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
  try await eventually(
    within: limit, what, every: interval, file: file, line: line, condition, satisfies: { $0 })
}

/// Checks a condition until it holds, and blocks the thread meanwhile.
///
/// - Throws: ``StillWaiting`` after the limit, and whatever the condition throws.
@available(*, noasync, message: "use eventually")
public func blockUntil(
  within limit: Duration = longestWait, _ what: String,
  every interval: Duration = .milliseconds(50), file: String = #fileID, line: Int = #line,
  _ condition: () throws -> Bool
) throws {
  let deadline = ContinuousClock.now + limit
  while try !condition() {
    guard ContinuousClock.now < deadline else {
      throw StillWaiting(limit, what, last: "false", file, line)
    }
    pause(for: interval, because: "the condition is checked again")
  }
}
