import Confinement
import Media
import Planning
import Preparation
import Timeline

/// `media check`: opens an encoder with a job's settings, and lets it go.
struct Checking: ChildService {
  func sandbox(for first: EncoderCheck) -> Sandbox { Sandbox(limits: .probe) }

  func handle(_ request: EncoderCheck) -> ChildAnswer {
    .findings(
      VideoEncoder.findings(
        request.video, size: request.size, frameDuration: request.frameDuration))
  }
}
