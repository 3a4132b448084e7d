import FarmAPI
import Preparation

/// Judges what media processes find on this host.
package enum MediaDiagnosis {
  /// The results for the libraries, the codecs, the fonts and the sandbox.
  package static func diagnoses(of media: HostMedia) -> [Diagnosis] {
    [
      libraries(media), encoders(media), decoders(media), fonts(media.fonts),
      sandbox(landlock: media.landlock),
    ]
  }

  /// The results if no media process can run.
  package static func diagnoses(of error: JobError) -> [Diagnosis] {
    let isConfinement = error.failure.code == .notConfined
    let message = error.failure.message
    func skipped(_ checks: String...) -> [Diagnosis] {
      checks.map { .skipped($0, "the process that opens media does not run") }
    }
    if error.failure.code == .mediaProgramUnusable {
      return [
        .failed(
          "libraries", message,
          fix: "install all programs of one version, and the packages that they need "
            + "(docs/operating.md, Install)")
      ] + skipped("encoders", "decoders", "fonts", "sandbox")
    }
    return skipped("libraries", "encoders", "decoders", "fonts") + [
      isConfinement
        ? .failed(
          "sandbox", message,
          fix: "allow seccomp filters and no_new_privs to this process; in a container, use "
            + "docker/seccomp.json")
        : .failed(
          "sandbox", message,
          fix: "install the packages that Sheaf needs (docs/operating.md, Install)")
    ]
  }

  private static func libraries(_ media: HostMedia) -> Diagnosis {
    let old = media.libraries.filter { !$0.isRecent }
    guard old.isEmpty else {
      let list = old.map { "\($0.name) \($0.loaded) instead of \($0.built)" }
      return .failed(
        "libraries", "older than those that Sheaf was built with: \(list.joined(separator: ", "))",
        fix: "update FFmpeg's libraries: `apt install libavcodec59 libavformat59 libavfilter8`")
    }
    let names = media.libraries.map { "\($0.name) \($0.loaded)" }
    let isSame = media.libraries.allSatisfy { $0.loaded == $0.built }
    return .ok(
      "libraries",
      "FFmpeg \(media.version): \(names.joined(separator: ", "))"
        + (isSame ? "" : "; newer than those that Sheaf was built with"))
  }

  private static func encoders(_ media: HostMedia) -> Diagnosis {
    guard media.missingEncoders.isEmpty else {
      let list = media.missingEncoders.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
      return .failed(
        "encoders", "exports cannot use \(list.joined(separator: ", "))",
        fix: "install Debian's libavcodec59, which has these encoders")
    }
    return .ok("encoders", "all \(media.encoders) are installed")
  }

  private static func decoders(_ media: HostMedia) -> Diagnosis {
    guard media.missingDecoders.isEmpty else {
      return .warning(
        "decoders",
        "media in these codecs cannot be read: "
          + media.missingDecoders.joined(separator: ", "),
        fix: "install Debian's libavcodec59, or convert such media first")
    }
    return .ok("decoders", "all \(media.decoders) are installed")
  }

  private static let emoji = "emoji"

  private static func fonts(_ fonts: HostMedia.Fonts) -> Diagnosis {
    guard let sans = fonts.sans else {
      return .failed(
        "fonts", "none are installed, so no text can be drawn",
        fix: "`apt install fontconfig fonts-dejavu-core`")
    }
    let found = "\(fonts.families) \(fonts.families == 1 ? "family" : "families"); sans is \(sans)"
    guard fonts.missing.isEmpty else {
      let packages =
        (fonts.missing.contains { $0 != emoji } ? ["fonts-noto-cjk"] : [])
        + (fonts.missing.contains(emoji) ? ["fonts-noto-color-emoji"] : [])
      return .warning(
        "fonts", "\(found); no font has \(list(fonts.missing, "or"))",
        fix: "if titles need them: `apt install \(packages.joined(separator: " "))`")
    }
    return .ok("fonts", found)
  }

  private static func list(_ words: [String], _ last: String) -> String {
    guard words.count > 1, let end = words.last else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) \(last) \(end)"
  }

  private static func sandbox(landlock: Int?) -> Diagnosis {
    guard let landlock else {
      return .warning(
        "sandbox",
        "processes that open media are confined by seccomp, but not by Landlock: they can read "
          + "every file that this user can read",
        fix: "use Linux 5.13 or later with `landlock` among the security modules (`lsm=`)")
    }
    return .ok("sandbox", "media is opened in a sandbox (seccomp, Landlock version \(landlock))")
  }
}
