import FarmAPI

/// An asset that the coordinator does not have, or that does not arrive as it should.
struct UnusableAsset: Error, Sendable, CustomStringConvertible {
  private let error: AssetError
  private let name: String

  /// - Parameter name: what the project calls the asset.
  init(_ error: AssetError, named name: String) {
    self.error = error
    self.name = name
  }

  var description: String { "\(name): \(error)" }

  /// What to tell the coordinator, which looks whether its own file is damaged.
  var report: FailureReport {
    switch error {
    case .missing:
      FailureReport(code: "missing-asset", message: description, isPermanent: true)
    case .damaged, .shorterThanSaid:
      FailureReport(
        code: FailureReport.damagedAssetCode, message: description, isPermanent: false)
    }
  }
}
