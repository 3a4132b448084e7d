/// The place that a setting's value comes from.
package enum SettingOrigin: Hashable, Sendable {
  /// An option of the command line, with its dashes.
  case flag(String)
  /// An environment variable.
  case environment(String)
  /// A line of the configuration file.
  case file(String, line: Int)
  /// Nobody set it.
  case standard

  /// The origin in one word, for programs.
  package var kind: String {
    switch self {
    case .flag: "flag"
    case .environment: "environment"
    case .file: "file"
    case .standard: "default"
    }
  }

  /// The origin for people.
  package var description: String {
    switch self {
    case .flag(let option): option
    case .environment(let variable): "$\(variable)"
    case .file(let path, let line): "\(path):\(line)"
    case .standard: "default"
    }
  }
}

/// A value with the place that it comes from.
package struct Setting<Value: Hashable & Sendable>: Hashable, Sendable {
  package let value: Value
  /// The place that it comes from.
  package let origin: SettingOrigin

  package init(_ value: Value, _ origin: SettingOrigin) {
    (self.value, self.origin) = (value, origin)
  }

  /// Whether a flag, a variable or the file sets it.
  package var isSet: Bool { origin != .standard }
}
