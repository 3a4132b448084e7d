import Confinement
import Media
import Preparation
import Typesetting

/// The service `examine`, which reports what media processes find on this host.
struct Examining: ChildService {
  /// Read before the process confines itself, because the sandbox forbids the system call.
  private let landlock = Sandbox.landlock

  func sandbox(for first: ExaminationRequest) -> Sandbox {
    Sandbox(limits: .typeset, readable: FontFiles.all)
  }

  func handle(_ request: ExaminationRequest) -> ChildAnswer {
    let fonts = FontSurvey()
    return .examined(
      HostMedia(
        version: MediaInventory.version,
        libraries: MediaInventory.libraries.map {
          HostMedia.Library(
            name: $0.name, built: "\($0.built)", loaded: "\($0.loaded)", isRecent: $0.isRecent)
        },
        missingEncoders: MediaInventory.encoders.filter { !MediaInventory.hasEncoder($0.value) },
        encoders: MediaInventory.encoders.count,
        missingDecoders: MediaInventory.decoders.filter { !MediaInventory.hasDecoder($0) },
        decoders: MediaInventory.decoders.count,
        fonts: HostMedia.Fonts(
          families: fonts.families, sans: fonts.sans, missing: fonts.missing),
        landlock: landlock))
  }
}
