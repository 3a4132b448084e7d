/// A media file that a project uses.
public enum Asset: Hashable, Sendable {
  /// A file at a path, relative to the project file.
  case file(path: String)
  /// A file that the coordinator fetches.
  case remote(AssetURL)

  /// An asset at a path.
  public init(path: String) { self = .file(path: path) }

  /// An asset at a URL.
  public init(url: AssetURL) { self = .remote(url) }

  /// The file's path; `nil` for a URL.
  public var path: String? {
    if case .file(let path) = self { path } else { nil }
  }

  /// The file's URL; `nil` for a path.
  public var url: AssetURL? {
    if case .remote(let url) = self { url } else { nil }
  }

  /// The path or the URL, which identifies the file in a submission.
  public var place: String {
    switch self {
    case .file(let path): path
    case .remote(let url): url.description
    }
  }

  /// The path or the URL, for messages.
  public var shown: String { url?.shown ?? place }
}

extension Asset: Encodable {
  private enum CodingKeys: String, CodingKey { case path, url }

  /// Encodes `{"path": …}` or `{"url": …}`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .file(let path): try container.encode(path, forKey: .path)
    case .remote(let url): try container.encode(url, forKey: .url)
    }
  }
}
