/// The metadata of an output file.
public struct ExportMetadata: Hashable, Codable, Sendable {
  /// The title.
  public var title: String?
  /// The artist.
  public var artist: String?
  /// The copyright notice.
  public var copyright: String?
  /// The creation date in ISO 8601: `2026-11-20` or `2026-11-20T18:30:00Z`. It is never the time of rendering.
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

/// A chapter of the finished file.
public struct Chapter: Hashable, Codable, Sendable {
  /// The start, in seconds of the finished file. The chapter ends at the start of the next one or at the end of the
  /// file.
  public var time: RationalTime
  /// The title.
  public var title: String

  /// Creates a chapter.
  public init(time: RationalTime, title: String) {
    self.time = time
    self.title = title
  }
}
