/// The body of `POST /leases/{token}/failure`.
public struct FailureReport: Hashable, Codable, Sendable {
  /// A stable code, e.g. `missing-asset`, `unsupported-codec`, `decode-failed`.
  public var code: String
  /// What failed, on what, and what to do.
  public var message: String
  /// Whether no other attempt can succeed.
  public var isPermanent: Bool

  /// Creates a report.
  public init(code: String, message: String, isPermanent: Bool) {
    self.code = code
    self.message = message
    self.isPermanent = isPermanent
  }

  /// The maximum number of bytes that a coordinator keeps of a message: 8 KiB.
  public static let longestMessage = 8 << 10

  /// The report with its code and message shortened to the length that a coordinator keeps.
  public var shortened: FailureReport {
    FailureReport(
      code: code.shortened(toCharacters: 100, bytes: 400),
      message: message.shortened(toCharacters: 4000, bytes: Self.longestMessage),
      isPermanent: isPermanent)
  }

  /// The code of a worker that cannot write rendered frames to its own disk.
  public static let localDiskCode = "local-disk"

  /// The code of a worker that repeatedly receives an asset with damaged bytes.
  public static let damagedAssetCode = "damaged-asset"

  /// The code of a worker that asked the coordinator for an asset that the coordinator does not have.
  public static let missingAssetCode = "missing-asset"

  /// The code of a worker whose render process was killed from outside: by someone on its host, or by the kernel
  /// because the host ran out of memory.
  public static let renderProcessKilledCode = "render-process-killed"

  /// Whether the failure is caused by the worker's disk or its access to the assets. Such failures count the same
  /// whether they come from one worker or several.
  public var isOfSurroundings: Bool { isOfLocalDisk || isOfAsset }

  /// Whether the worker could not get an asset. The coordinator then checks its own copy.
  public var isOfAsset: Bool { [Self.damagedAssetCode, Self.missingAssetCode].contains(code) }

  /// Whether the worker's own disk failed, independently of the segment.
  public var isOfLocalDisk: Bool { code == Self.localDiskCode }

  /// Whether the render process was killed from outside.
  public var isKill: Bool { code == Self.renderProcessKilledCode }
}
