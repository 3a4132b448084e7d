/// The value of `--patience`: how long to wait for the coordinator.
package struct PatienceArgument: ArgumentValue {
  package static let expectation = "a whole number of seconds from 0 to 604800"

  /// The length of time.
  package let duration: Duration

  package init?(argument: String) {
    guard let seconds = Int(argument), (0...604_800).contains(seconds) else { return nil }
    duration = .seconds(seconds)
  }
}
