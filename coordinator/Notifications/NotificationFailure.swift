/// The reason why a notification was not delivered.
struct NotificationFailure: Error {
  let reason: String
  /// The HTTP status of the response, if there was one.
  var status: Int?
  /// Whether another try is useless.
  var isFinal = false

  init(_ reason: String, status: Int? = nil, isFinal: Bool = false) {
    self.reason = reason
    self.status = status
    self.isFinal = isFinal
  }
}
