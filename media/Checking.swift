import Confinement
import Media
import Planning
import Preparation
import Timeline

/// The service `check`, which opens an encoder with a job's settings and closes it.
struct Checking: ChildService {
  func sandbox(for first: EncoderCheck) -> Sandbox { Sandbox(limits: .probe) }

  func handle(_ request: EncoderCheck) -> ChildAnswer {
    .findings(
      VideoEncoder.findings(
        request.video, size: request.size, frameDuration: request.frameDuration))
  }
}
