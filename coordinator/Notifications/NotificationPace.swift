/// When a notification is tried again, and when it is given up.
enum NotificationPace {
  /// The pauses after the first try, the second, and so on: about 25 hours in all.
  static let pauses: [Duration] = [30, 120, 600, 1800, 3600, 10_800, 21_600, 50_400]
    .map { .seconds($0) }
  /// How long other notifications for a server wait after one of them failed.
  static let rest = Duration.seconds(30)

  /// The pause after a number of tries that failed; `nil` if there is no other try.
  static func pause(after tries: Int) -> Duration? {
    pauses.indices.contains(tries - 1) ? pauses[tries - 1] : nil
  }
}
