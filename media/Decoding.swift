import Confinement
import Crypto
import FarmAPI
import Media
import Planning
import Preparation
import Rendering

/// The service `decode`, which decodes what segments show to find damage.
struct Decoding: ChildService {
  func sandbox(for first: DecodingRequest) -> Sandbox {
    Sandbox(
      limits: .decode,
      readable: first.segments.map(\.path) + first.files.values.flatMap(\.paths).sorted(),
      writable: [])
  }

  func handle(_ request: DecodingRequest) throws -> ChildAnswer {
    for (index, segment) in request.segments.enumerated() {
      let content = try segment.decode(LeasedContent.self)
      let renderer = try SegmentRenderer(segment: content.description) { source in
        guard let file = request.files[source.asset.description] else {
          throw MediaError(.readFailed, "the asset is not in the request", on: source.name)
        }
        return try file.open(named: source.name)
      }
      do { try renderer.findDamage() } catch let error as MediaError
        where [.frameDamaged, .frameMissing].contains(error.code)
      {
        let failure = JobFailure(
          code: FailureCode(rawValue: error.code.wireName), message: error.message)
        return .damaged(DamagedSegment(index: index, message: failure.shortened.message))
      }
    }
    return .done
  }
}
