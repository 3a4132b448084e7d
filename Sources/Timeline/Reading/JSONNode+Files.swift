/// How a project names files.
extension JSONNode {
  /// A text that is not empty and holds no NUL, as a file's path must be.
  func filePath() -> String? {
    guard let text = name() else { return nil }
    guard !text.isEmpty, !text.utf8.contains(0) else {
      refuse("\(value.shown) is not a path", "give the path of a file")
      return nil
    }
    guard !AssetURL.isMeant(by: text) else {
      refuse(
        "there is a URL, and not a path",
        "give it as \"url\"; begin it with ./ where a file is called that")
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

  /// A path or a URL, as a sequence names files, as it is written.
  func fileName() -> String? {
    guard case .string(let text) = value, AssetURL.isMeant(by: text) else { return filePath() }
    return name() != nil && isOrdinary(text) ? text : nil
  }

  /// A text of at most ``RenderLimits/nameBytes``.
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

  /// Whether a text names a file, or a URL that can be asked for; what is wrong with others is reported.
  private func isOrdinary(_ text: String) -> Bool {
    guard let finding = Finding(fileName: text, at: path) else { return true }
    log.noteHole(finding)
    return false
  }
}

extension Finding {
  /// Creates the finding for an invalid URL, or for a text with another protocol, including libav's.
  init?(fileName text: String, at path: String) {
    if AssetURL.isMeant(by: text) {
      do throws(AssetURLError) {
        _ = try AssetURL(text)
        return nil
      } catch {
        self.init(path: path, problem: error.problem, remedy: error.remedy)
        return
      }
    }
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let scheme = text[..<colon].lowercased()
    let isScheme =
      scheme.first?.isLetter == true
      && scheme.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains($0)
      }
    guard isScheme, text[colon...].hasPrefix("://") || Self.protocols.contains(scheme) else {
      return nil
    }
    self.init(
      path: path, problem: "\"\(scheme):\" is not a protocol that files are fetched by",
      remedy: "give a path, or an http or https URL; begin a path with ./ where a file is called "
        + "that")
  }

  /// Those of libav's protocols that need no slashes (libavformat's protocols.texi).
  private static let protocols: Set<String> = [
    "async", "bluray", "cache", "concat", "concatf", "crypto", "data", "fd", "file", "hls", "ipfs",
    "ipns", "md5", "pipe", "subfile", "tee", "unix",
  ]
}
