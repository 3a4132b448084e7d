/// The metadata of a file.
public struct ExportMetadata: Hashable, Codable, Sendable {
  /// The title.
  public var title: String?
  /// Who made it.
  public var artist: String?
  /// The copyright notice.
  public var copyright: String?
  /// When it was made, ISO 8601: `2026-11-20` or `2026-11-20T18:30:00Z`. Never the time of rendering.
  public var creationDate: String?

  /// Creates metadata.
  public init(
    title: String? = nil, artist: String? = nil, copyright: String? = nil,
    creationDate: String? = nil
  ) {
    self.title = title
    self.artist = artist
    self.copyright = copyright
    self.creationDate = creationDate
  }
}

/// A place in the finished file with a name.
public struct Chapter: Hashable, Codable, Sendable {
  /// When it begins, in seconds of the finished file; it ends where the next one begins, the last with the file.
  public var time: RationalTime
  /// Its name.
  public var title: String

  /// Creates a chapter.
  public init(time: RationalTime, title: String) {
    self.time = time
    self.title = title
  }
}
