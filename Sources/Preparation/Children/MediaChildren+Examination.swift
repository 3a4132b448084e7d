import FarmAPI
import Foundation

/// A request to `examine`.
package struct ExaminationRequest: Hashable, Codable, Sendable {
  package init() {}
}

/// The libraries, codecs and fonts of this host, and the layers of the sandbox of media processes.
package struct HostMedia: Hashable, Codable, Sendable {
  package struct Library: Hashable, Codable, Sendable {
    /// The name, such as `libavcodec`.
    package var name: String
    /// The version that Sheaf was built with.
    package var built: String
    /// The version that is loaded.
    package var loaded: String
    /// Whether the loaded version has everything that the other one has.
    package var isRecent: Bool

    package init(name: String, built: String, loaded: String, isRecent: Bool) {
      self.name = name
      self.built = built
      self.loaded = loaded
      self.isRecent = isRecent
    }
  }

  package struct Fonts: Hashable, Codable, Sendable {
    /// The number of families.
    package var families: Int
    /// The family that is used for `sans`; `nil` if there is none.
    package var sans: String?
    /// The kinds of letters that no font has, such as `emoji`.
    package var missing: [String]

    package init(families: Int, sans: String?, missing: [String]) {
      self.families = families
      self.sans = sans
      self.missing = missing
    }
  }

  /// The version of FFmpeg, such as `5.1.8-0+deb12u1`.
  package var version: String
  package var libraries: [Library]
  /// The encoders that exports can need but that are not installed, by codec.
  package var missingEncoders: [String: String]
  /// The number of encoders that exports can need.
  package var encoders: Int
  /// The decoders that input can need but that are not installed.
  package var missingDecoders: [String]
  /// The number of decoders that input can need.
  package var decoders: Int
  package var fonts: Fonts
  /// The kernel's version of Landlock; `nil` if it does not have it.
  package var landlock: Int?

  package init(
    version: String, libraries: [Library], missingEncoders: [String: String], encoders: Int,
    missingDecoders: [String], decoders: Int, fonts: Fonts, landlock: Int?
  ) {
    self.version = version
    self.libraries = libraries
    self.missingEncoders = missingEncoders
    self.encoders = encoders
    self.missingDecoders = missingDecoders
    self.decoders = decoders
    self.fonts = fonts
    self.landlock = landlock
  }
}

extension MediaChildren {
  /// Asks a media process what it finds on this host.
  ///
  /// - Throws: ``JobError``, with `notConfined` if a process cannot be confined.
  package func examine() async throws -> HostMedia {
    let child = ChildDialogue(
      process("examine", seconds: 60, answerSize: 1 << 20), subject: "this host",
      remedy: "install the packages that Sheaf needs")
    let answer = try await child.ask(FarmCoding.encode(ExaminationRequest()))
    await child.end()
    guard case .examined(let media) = answer else {
      throw JobError(.mediaProcessDied, "this host: the media process returned no answer")
    }
    return media
  }
}
