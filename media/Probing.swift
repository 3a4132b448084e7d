import Confinement
import FarmAPI
import Media
import Preparation
import Processes
import Timeline

/// The service `probe`, which indexes a file. Its process can reach no other file, because the index of an asset
/// serves all submitters.
struct Probing: ChildService {
  func sandbox(for request: ProbeRequest) -> Sandbox {
    let limits = request.limits
    return Sandbox(
      limits: ResourceLimits(
        memory: UInt(limits.memory), fileSize: UInt(limits.indexBytes),
        processorTime: UInt(request.seconds ?? limits.probeSeconds(byteCount: 0))),
      readable: request.file.paths, writable: request.output.map { [$0.directory] } ?? [])
  }

  func handle(_ request: ProbeRequest) throws -> ChildAnswer {
    let source = try request.file.open(named: request.name)
    let entries = try EditLists(source, named: request.name).longest()
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
