/// The place of a request among those that wait: workers with a higher priority first, then in order of arrival.
struct WaitingKey: Hashable, Comparable, Sendable {
  let priority: Int
  let request: RequestID

  static func < (a: WaitingKey, b: WaitingKey) -> Bool {
    (b.priority, a.request) < (a.priority, b.request)
  }
}
