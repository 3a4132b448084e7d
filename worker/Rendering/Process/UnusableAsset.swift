import FarmAPI

/// An asset that the coordinator does not have, or that arrives damaged.
struct UnusableAsset: Error, Sendable, CustomStringConvertible {
  private let error: AssetError
  private let name: String

  /// - Parameter name: the asset's name in the project.
  init(_ error: AssetError, named name: String) {
    self.error = error
    self.name = name
  }

  var description: String { "\(name): \(error)" }

  /// The report for the coordinator, which then checks its own file and decides.
  var report: FailureReport {
    let code: FailureCode =
      switch error {
      case .missing: .missingAsset
      case .damaged, .shorterThanSaid: .damagedAsset
      }
    return FailureReport(code: code, message: description, isPermanent: false)
  }
}
