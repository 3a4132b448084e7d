import Confinement
import FarmAPI
import Media
import Preparation

/// `media probe`: indexes files.
struct Probing: ChildService {
  func sandbox(for first: ProbeRequest) -> Sandbox {
    Sandbox(limits: .probe, readable: first.file.paths + (first.others ?? []))
  }

  func handle(_ request: ProbeRequest) throws -> ChildAnswer {
    let source = try request.file.open(named: request.name)
    let entries = try EditLists(source).longest()
    guard entries <= EditLists.limit else {
      throw JobError(
        "limit-reached",
        "\(request.name): its edit list has \(entries) entries, and may have \(EditLists.limit): "
          + "convert it")
    }
    let index = try MediaProber.index(of: source, named: request.name)
    guard request.verifies == true else { return .index(index) }
    return .verified(
      try MediaVerifier(source: source, name: request.name, index: index).verify())
  }
}
