extension MediaError {
  /// The error for a source of bytes that failed.
  static func reading(_ failure: any Error, named name: String) -> MediaError {
    (failure as? MediaError)
      ?? MediaError(
        .readFailed, "cannot read the media", on: name, cause: String(describing: failure))
  }

  /// The error for a file that ends before what its index promises.
  static func truncated(_ name: String, cause: String?) -> MediaError {
    MediaError(
      .truncated, "the media file is cut short", on: name,
      remedy: "copy it again from its source", cause: cause)
  }
}
