import Crypto
import FarmAPI

/// The reason why the coordinator does not have an asset of a project that is checked or submitted.
enum AbsentAsset: Hashable, Sendable {
  /// The asset has to be uploaded, as the message says. The digest is `nil` if the submission does not state it.
  case missing(digest: Digest?, message: String)
  /// The asset is at a URL that is fetched when the job is planned.
  case unfetched
  /// The operator does not allow the asset's URL, as the message says.
  case notAllowed(message: String)

  /// The failure of a job that needs the asset.
  var failure: JobFailure {
    switch self {
    case .missing(_, let message): JobFailure(code: .missingAsset, message: message)
    case .unfetched:
      JobFailure(
        code: .assetUnreachable, message: "it is fetched and examined only when the job is planned")
    case .notAllowed(let message): JobFailure(code: .assetNotAllowed, message: message)
    }
  }
}
