import Foundation

enum TerminalWidth {
  /// The width to assume for a terminal that does not state one.
  private static let usual = 80

  /// The number of columns of the terminal at a descriptor: the one that it states, or `COLUMNS`, or 80. `nil` if it is
  /// not a terminal and `COLUMNS` is not set.
  static func columns(
    of descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> Int? {
    var size = winsize()
    let isTerminal = isatty(descriptor) == 1
    if isTerminal, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return Int(size.ws_col)
    }
    let stated = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    return stated ?? (isTerminal ? usual : nil)
  }

  /// The number of rows of the terminal at a descriptor; 24 if it does not state it.
  static func rows(of descriptor: Int32) -> Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
    return Int(size.ws_row)
  }
}
