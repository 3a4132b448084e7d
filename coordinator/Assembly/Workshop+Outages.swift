import FarmAPI

extension Workshop {
  /// The time between two tries.
  private static let outagePause = Duration.seconds(1)

  /// Repeats a step of a recording for as long as the object store or the ledger does not answer.
  ///
  /// - Parameter purpose: the step, as a phrase that completes "cannot …".
  func persist<Value: Sendable>(
    _ purpose: String, _ fields: LogFields, isolation: isolated (any Actor)? = #isolation,
    _ step: () async throws -> Value
  ) async throws -> Value {
    var isReported = false
    while true {
      do {
        let value = try await step()
        if isReported { log.info("can \(purpose) again", fields) }
        return value
      } catch  where RunTries.isOutage(error) {
        if !isReported { log.error("cannot \(purpose): \(error): trying again", fields) }
        isReported = true
        try await Task.sleep(for: Self.outagePause)
      }
    }
  }
}
