import Confinement
import Media
import Preparation

/// `media probe`: indexes files.
struct Probing: ChildService {
  func sandbox(for first: ProbeRequest) -> Sandbox {
    Sandbox(limits: .probe, readable: [first.path] + (first.others ?? []))
  }

  func handle(_ request: ProbeRequest) throws -> ChildAnswer {
    .index(
      try MediaProber.index(
        of: FileByteSource(path: request.path, throughLinks: false), named: request.name))
  }
}
