import Timeline

extension Finding {
  /// Creates the finding for an invalid URL or an unsupported protocol, such as those of libav.
  init?(fileName text: String, at path: FindingPath) {
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
      path: path, problem: "the protocol \"\(scheme):\" is not supported",
      remedy: "use a path, or an http or https URL; if this is a file name, begin it with ./")
  }

  /// The finding for an asset without an index.
  static func notRead(_ asset: String, at path: FindingPath) -> Finding {
    Finding(
      path: path, problem: notReadProblem(asset),
      remedy: "check that the file exists and is a media file")
  }

  /// The problem of an asset without an index.
  static func notReadProblem(_ asset: String) -> String { "\"\(asset)\" has not been read" }

  /// The protocols of libav that need no slashes (libavformat's protocols.texi).
  private static let protocols: Set<String> = [
    "async", "bluray", "cache", "concat", "concatf", "crypto", "data", "fd", "file", "hls", "ipfs",
    "ipns", "md5", "pipe", "subfile", "tee", "unix",
  ]
}
