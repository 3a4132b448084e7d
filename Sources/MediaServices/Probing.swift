import Confinement
import FarmAPI
import Media
import Preparation
import Timeline

/// The service `media probe`, which indexes files.
struct Probing: ChildService {
  func sandbox(for first: ProbeRequest) -> Sandbox {
    let limits = first.limits
    return Sandbox(
      limits: ResourceLimits(
        memory: UInt(limits.memory), fileSize: UInt(limits.indexBytes),
        processorTime: UInt(first.seconds ?? limits.probeSeconds(byteCount: 0)),
        processorTimeInAll: first.secondsInAll.map(UInt.init)),
      readable: first.file.paths + (first.others ?? []),
      writable: first.output.map { [$0.directory] } ?? [])
  }

  func handle(_ request: ProbeRequest) throws -> ChildAnswer {
    let source = try request.file.open(named: request.name)
    let entries = try EditLists(source).longest()
    guard entries <= request.limits.editListEntries else {
      throw JobError.beyond(
        "--max-edit-list-entries",
        "\(request.name): its edit list has \(entries) entries, more than the limit of "
          + "\(request.limits.editListEntries)", "convert it")
    }
    let index = try MediaProber.index(of: source, named: request.name)
    if request.verifies == true {
      return .verified(
        try MediaVerifier(source: source, name: request.name, index: index).verify())
    }
    guard index.frameCount <= request.limits.frames else {
      throw JobError.beyond(
        "--max-index-frames",
        "\(request.name): its media index has \(index.frameCount) frames, more than the "
          + "limit of \(request.limits.frames)", "split the file")
    }
    guard let output = request.output else { return .index(index) }
    try MediaIndexFile.write(index, to: output)
    return .done
  }
}
