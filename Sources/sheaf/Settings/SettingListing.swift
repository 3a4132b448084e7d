import Arguments
import FarmAPI
import Foundation
import Processes

/// All settings as they are shown. No secret is among them.
package struct SettingListing: Hashable, Codable, Sendable {
  package struct Row: Hashable, Codable, Sendable {
    /// The name, as the configuration file spells it.
    package let name: String
    /// The value for people; `nil` if there is none.
    package let value: String?
    /// The kind of place that the value comes from: `flag`, `environment`, `file` or `default`.
    package let origin: String
    /// The option, the variable, or the line of the file.
    package let place: String?
  }

  /// The path of the configuration file.
  package let file: String
  /// Whether the configuration file exists.
  package let fileExists: Bool
  package let settings: [Row]

  /// Lists the settings of commands that connect to a coordinator, and those that only the environment sets.
  package init(
    _ settings: FarmSettings,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    file = settings.file.path
    fileExists = settings.file.exists
    let token = settings.token
    let shownToken: String? =
      switch token.value {
      case .file(let path): path.withoutTokens
      case .variable: "(hidden)"
      case nil: nil
      }
    self.settings = [
      Row(
        "coordinator", settings.coordinators.value.map(\.shown).joined(separator: " "),
        settings.coordinators.origin),
      Row(
        token.value.map { if case .variable = $0 { "token" } else { "token-file" } }
          ?? "token-file", shownToken, token.origin),
      Row("ca-file", settings.authorityFile.value, settings.authorityFile.origin),
      Row(
        "patience", "\(settings.patience.value.components.seconds) s", settings.patience.origin),
      Row(
        "temporary-directory", TemporaryFolder.parent,
        Self.origin(of: "TMPDIR", in: environment)),
      Row(
        "color", Self.isSet("NO_COLOR", in: environment) ? "no" : "yes",
        Self.origin(of: "NO_COLOR", in: environment)),
    ]
  }

  private static func isSet(_ variable: String, in environment: [String: String]) -> Bool {
    environment[variable].map { !$0.isEmpty } ?? false
  }

  private static func origin(
    of variable: String, in environment: [String: String]
  ) -> SettingOrigin {
    isSet(variable, in: environment) ? .environment(variable) : .standard
  }

  /// The settings as a table.
  package var table: Table {
    var table = Table(
      "SETTING", Table.Column("VALUE", shortest: 8), Table.Column("FROM", shortest: 8))
    for row in settings { table.add(row.name, row.value ?? "-", row.place ?? row.origin) }
    return table
  }
}

extension SettingListing.Row {
  fileprivate init(_ name: String, _ value: String?, _ origin: SettingOrigin) {
    self.name = name
    self.value = value
    self.origin = origin.kind
    place = if case .standard = origin { nil } else { origin.description }
  }
}
