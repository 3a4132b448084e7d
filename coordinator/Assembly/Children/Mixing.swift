import Confinement
import Crypto
import Media
import Planning
import Rendering

/// `media mix`: mixes a job's sound.
struct Mixing: ChildService {
  func sandbox(for first: MixRequest) -> Sandbox {
    Sandbox(
      limits: .mix, readable: first.files.values.sorted(), writable: [first.output.directory])
  }

  func handle(_ request: MixRequest) throws -> ChildAnswer {
    let mixer = try AudioMixer(mix: request.mix) { source in
      guard let path = request.files[source.asset.description] else {
        throw MediaError(.readFailed, "the asset is not in the request", on: source.name)
      }
      return try FileByteSource(path: path, throughLinks: false)
    }
    return .mixed(try mixer.mix(to: request.output))
  }
}
