import Timeline

/// Paths and URLs of files in a project.
extension JSONNode {
  /// The path of a file: text that is not empty and contains no NUL.
  func filePath() -> String? {
    guard let text = name() else { return nil }
    guard !text.isEmpty, !text.utf8.contains(0) else {
      refuse("\(value.shown) is not a valid path", "use the path of a file")
      return nil
    }
    guard !AssetURL.isMeant(by: text) else {
      refuse(
        "this is a URL, not a path",
        "use the key \"url\" instead; if this is a file name, begin it with ./")
      return nil
    }
    return isOrdinary(text) ? text : nil
  }

  /// The URL of a file.
  func assetURL() -> AssetURL? {
    guard let text = name(), isOrdinary(text) else { return nil }
    if let url = try? AssetURL(text) { return url }
    refuse("\(value.shown) is not an http or https URL", "begin it with https://")
    return nil
  }

  /// A path or a URL as written in the file, for a clip or other file of a sequence.
  func fileName() -> String? {
    guard case .string(let text) = value, AssetURL.isMeant(by: text) else { return filePath() }
    return name() != nil && isOrdinary(text) ? text : nil
  }

  /// Text of at most ``RenderLimits/nameBytes``.
  private func name() -> String? {
    guard let text = string() else { return nil }
    guard text.utf8.count <= RenderLimits.nameBytes else {
      refuse(
        "\(value.shown) has \(text.utf8.count) bytes, more than the limit of \(RenderLimits.nameBytes)",
        "use a shorter path or URL")
      return nil
    }
    return text
  }

  /// Whether the text is a path or a supported URL. If it is not, the problem is reported.
  private func isOrdinary(_ text: String) -> Bool {
    guard let finding = Finding(fileName: text, at: path) else { return true }
    log.noteHole(finding)
    return false
  }
}
