import Confinement
import Crypto
import Media
import Planning
import Preparation
import Rendering

/// `media mix`: mixes a job's sound, or copies it.
struct Mixing: ChildService {
  func sandbox(for first: MixRequest) -> Sandbox {
    Sandbox(
      limits: .mix, readable: first.files.values.sorted(), writable: [first.output.directory])
  }

  func handle(_ request: MixRequest) throws -> ChildAnswer {
    let open = { (source: AudioSource) in
      guard let path = request.files[source.asset.description] else {
        throw MediaError(.readFailed, "the asset is not in the request", on: source.name)
      }
      return try FileByteSource(path: path, throughLinks: false)
    }
    if let copier = try SoundCopier(request.mix), try copier.copy(to: request.output, open: open) {
      return .mixed(MixReport())
    }
    let mixer = try AudioMixer(mix: request.mix, open: open)
    let loudness = try mixer.mix(to: request.output)
    return .mixed(MixReport(loudness: loudness, concealments: mixer.concealments))
  }
}
