import Timeline

extension ExportMetadata {
  /// Reads `export.metadata`.
  init?(reading node: JSONNode) {
    guard
      let members = node.object(
        ["title", "artist", "copyright", "creationDate"],
        later: ["album", "comment", "description", "genre", "language", "location"])
    else { return nil }
    self.init(
      title: members.optional("title")?.string(), artist: members.optional("artist")?.string(),
      copyright: members.optional("copyright")?.string(),
      creationDate: members.optional("creationDate")?.string())
  }
}

extension Chapter {
  /// Reads one of `export.chapters`.
  init(reading node: JSONNode) {
    self.init(time: .zero, title: "")
    guard let members = node.object(["time", "title"]) else { return }
    let time = members.required("time")?.time()
    let title = members.required("title")?.string()
    self.init(time: time ?? .zero, title: title ?? "")
  }
}
