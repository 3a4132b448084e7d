import Timeline

extension Asset {
  /// The asset for a file name in a sequence, which is a URL or a path.
  init(named text: String) {
    self = (try? AssetURL(text)).map(Asset.remote) ?? .file(path: text)
  }
}
