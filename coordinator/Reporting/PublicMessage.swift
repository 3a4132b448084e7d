import HTTP
import Timeline

/// Removes paths and private addresses of the farm's hosts from messages to submitters.
package enum PublicMessage {
  /// Returns a failure's message for submitters: without the paths of the coordinator's own files, the folders of other
  /// absolute paths, and the queries of URLs. Addresses stay, because the coordinator names only those that the
  /// submitter's project names.
  ///
  /// - Parameter directory: the coordinator's data directory.
  package static func forSubmitters(_ message: String, data directory: String?) -> String {
    let message = AssetURL.withoutQueries(message)
    return eachWord(of: directory.map { without($0, in: message) } ?? message, withoutFolders)
  }

  /// Returns a message without the folders of absolute paths and without addresses of private networks.
  ///
  /// The last component of a path stays, because it may be the name of an asset. Runs in linear time, because messages
  /// contain names that anyone may choose.
  package static func withoutPlaces(_ message: String) -> String {
    eachWord(of: message) { withoutFolders(withoutAddresses($0)) }
  }

  private static func eachWord(of message: String, _ shown: (String) -> String) -> String {
    var result = ""
    var word = ""
    for character in message {
      if character.isWhitespace || "\"'`()<>,;".contains(character) {
        result += shown(word)
        result.append(character)
        word = ""
      } else {
        word.append(character)
      }
    }
    return result + shown(word)
  }

  /// Returns a message without the paths of the coordinator's own files in a directory.
  package static func without(_ directory: String, in message: String) -> String {
    guard !directory.isEmpty, directory != "/" else { return message }
    let parts = message.split(separator: directory, omittingEmptySubsequences: false)
    guard let first = parts.first, parts.count > 1 else { return message }
    return parts.dropFirst().reduce(String(first)) { text, part in
      let path = part.prefix { $0 == "/" || !($0.isWhitespace || "\"'`():,;".contains($0)) }
      return text + "the coordinator's data" + part.dropFirst(path.count)
    }
  }

  private static func withoutFolders(_ word: String) -> String {
    guard let start = pathStart(in: word) else { return word }
    let path = word[start...]
    let end = path.lastIndex { $0 != "/" } ?? start
    let last = path[...end].lastIndex(of: "/") ?? start
    return "\(word[..<start])…\(word[last...])"
  }

  /// Returns the start of an absolute path in a word, including words such as `key=/folder/file` or
  /// `file:///folder/file`.
  private static func pathStart(in word: String) -> String.Index? {
    var before: Character?
    for index in word.indices {
      let character = word[index]
      defer { before = character }
      guard character == "/", !isBeforeRelative(before) else { continue }
      let rest = word[index...]
      // The host of a URL is not a folder.
      if before == ":", rest.hasPrefix("//"), !rest.hasPrefix("///"), !word.hasPrefix("file:") {
        continue
      }
      return rest.contains { $0 != "/" } ? index : nil
    }
    return nil
  }

  /// Whether a slash after this character continues a relative path or a URL, or belongs to a path that was already
  /// shortened.
  private static func isBeforeRelative(_ character: Character?) -> Bool {
    guard let character else { return false }
    return character.isLetter || character.isNumber || "/._-~…%)]}".contains(character)
  }

  /// Returns a word without its non-public numeric addresses.
  private static func withoutAddresses(_ word: String) -> String {
    guard word.contains(where: \.isNumber) || word.contains("::") else { return word }
    var result = ""
    var rest = word[...]
    while let start = rest.firstIndex(where: isOfAddress) {
      result += rest[..<start]
      var run = rest[start...].prefix(while: isOfAddress)
      // Drops punctuation that ends a sentence or a subject.
      while run.count > 1, let last = run.last, ".:".contains(last) { run.removeLast() }
      rest = rest[run.endIndex...]
      result += isPrivate(run) ? "a private address" : String(run)
    }
    return result + rest
  }

  private static func isOfAddress(_ character: Character) -> Bool {
    character == "." || character == ":" || character.isHexDigit
  }

  /// Whether a run is an address of a private network, with or without a port.
  private static func isPrivate(_ run: Substring) -> Bool {
    guard run.utf8.count <= 64, run.contains(where: \.isNumber) else { return false }
    if let host = run.split(separator: ":").first, run.count(where: { $0 == ":" }) <= 1,
      let address = InternetAddress(String(host))
    {
      return !address.isPublic
    }
    return InternetAddress(String(run)).map { !$0.isPublic } ?? false
  }
}
