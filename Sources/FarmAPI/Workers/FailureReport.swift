import Timeline

/// The body of `POST /leases/{token}/failure`.
public struct FailureReport: Hashable, Codable, Sendable {
  /// A stable code, e.g. `missing-asset`, `unsupported-codec`, `frame-damaged`.
  public var code: FailureCode
  /// The problem, its subject and the remedy.
  public var message: String
  /// Whether no other attempt can succeed.
  public var isPermanent: Bool
  /// The lines that the worker has logged about the attempt since the last heartbeat; `nil` for none.
  public var log: String?

  /// Creates a report.
  public init(code: FailureCode, message: String, isPermanent: Bool) {
    self.code = code
    self.message = message
    self.isPermanent = isPermanent
  }

  /// The maximum number of bytes that a coordinator keeps of a message: 8 KiB.
  public static let longestMessage = 8 << 10

  /// The report with its code and message shortened to the length that a coordinator keeps.
  public var shortened: FailureReport {
    var report = FailureReport(
      code: FailureCode(rawValue: code.rawValue.shortened(toCharacters: 100, bytes: 400)),
      message: message.shortened(toCharacters: 4000, bytes: Self.longestMessage),
      isPermanent: isPermanent)
    report.log = log?.shortened(toBytes: AttemptLog.byteLimit)
    return report
  }

  /// Whether the failure is caused by the worker's disk or its access to the assets. Such failures count the same
  /// whether they come from one worker or several.
  public var isOfSurroundings: Bool { isOfLocalDisk || isOfAsset }

  /// Whether the worker could not get an asset. The coordinator then checks its own copy.
  public var isOfAsset: Bool { [.damagedAsset, .missingAsset].contains(code) }

  /// Whether the worker's own disk failed, independently of the segment.
  public var isOfLocalDisk: Bool { code == .localDisk }

  /// Whether the render process was killed from outside.
  public var isKill: Bool { code == .renderProcessKilled }
}
