import Foundation
import Testing

/// The folder of real footage, `../shared/media`, which is not part of the repository.
public enum SharedMedia {
  /// The folder: `SHEAF_SHARED_MEDIA`, or `shared/media` beside the package or one level further up.
  public static let folder: String? = {
    let package = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let beside = ["../shared/media", "../../shared/media"]
      .map { package.appendingPathComponent($0).standardizedFileURL.path }
    let named = ProcessInfo.processInfo.environment["SHEAF_SHARED_MEDIA"].map { [$0] } ?? []
    return (named + beside).first { FileManager.default.fileExists(atPath: $0) }
  }()

  /// Whether the folder exists.
  public static var isPresent: Bool { folder != nil }

  /// The path of one of its files.
  public static func path(_ name: String) -> String { (folder ?? "/nonexistent") + "/" + name }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test, with a message, if the folder of real footage is absent.
  public static var needsSharedMedia: Self {
    .enabled(if: SharedMedia.isPresent, "real footage is absent: ../shared/media")
  }
}
