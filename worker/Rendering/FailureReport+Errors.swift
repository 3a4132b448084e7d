import Crypto
import FarmAPI
import Media
import Processes
import Rendering

extension FailureReport {
  init(of error: any Error) {
    self =
      switch error {
      case let error as RenderFailure: error.report
      case let error as RenderProcessDeath:
        FailureReport(
          code: error.isFromOutside
            ? .renderProcessKilled : .renderProcessDied,
          message: error.message, isPermanent: false)
      case let error as MediaError:
        FailureReport(
          code: FailureCode(rawValue: error.code.wireName), message: error.message,
          isPermanent: Self.permanent.contains(error.code))
      case let error as RenderingError:
        FailureReport(
          code: FailureCode(rawValue: error.code.wireName), message: error.message,
          isPermanent: true)
      case let error as UnusableAsset: error.report
      case is LeaseError:
        FailureReport(code: .invalidLease, message: "\(error)", isPermanent: true)
      case is LocalFileError, is FileReadError:
        FailureReport(code: .localDisk, message: "\(error)", isPermanent: false)
      default:
        FailureReport(code: .renderFailed, message: "\(error)", isPermanent: false)
      }
  }

  /// The codes of errors in the media or the settings themselves, which every worker would report.
  private static let permanent: Set<MediaError.Code> = [
    .emptyFile, .notMedia, .unsupportedFormat, .unsupportedCodec, .noVideoStream, .noSuchStream,
    .invalidSettings,
  ]
}
