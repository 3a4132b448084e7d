import FarmAPI
import Planning
import ProjectFormat
import Timeline

/// The media of a planning request, which this process opens. The indexes were written by other processes.
struct RequestedMedia: ProjectMedia {
  private let request: PlanningRequest
  private let check: @Sendable (EncoderCheck) -> [Finding]
  private let typeset: @Sendable (TypesetRequest) throws -> [LayerRaster]
  private let announce: @Sendable (String) -> Void

  init(
    _ request: PlanningRequest, check: @escaping @Sendable (EncoderCheck) -> [Finding],
    typeset: @escaping @Sendable (TypesetRequest) throws -> [LayerRaster],
    note: @escaping @Sendable (String) -> Void
  ) {
    self.request = request
    self.check = check
    self.typeset = typeset
    announce = note
  }

  func indexes(for document: ProjectDocument) throws -> ProjectIndexes {
    var indexes: [String: MediaIndex] = [:]
    var known: [String: MediaIndex] = [:]
    for source in request.sources {
      guard let path = source.index else { continue }
      if let index = known[path] {
        indexes[source.name] = index
        continue
      }
      note(source.shown)
      do {
        let index = try MediaIndexFile.read(path, frames: request.limits.frames)
        (indexes[source.name], known[path]) = (index, index)
      } catch is FrameBudget.Exceeded {
        // The limit was higher when the index was made.
        throw JobError.beyond(
          "--max-index-frames",
          "\(source.shown): its media index has more than \(request.limits.frames) frames",
          "split the file")
      } catch {
        throw JobError(.damagedIndex, "\(source.shown): its media index is damaged on the disk")
      }
    }
    return ProjectIndexes(
      indexes: indexes, unreadable: request.unreadable, unseen: Set(request.absent))
  }

  func findings(_ question: EncoderCheck) -> [Finding] { check(question) }

  func rasters(of requests: [RasterRequest], root: FindingPath) throws -> [LayerRaster] {
    var files: [String: AssetFile] = [:]
    for source in request.sources { files[source.name] = source.image }
    return try typeset(
      TypesetRequest(rasters: requests, files: files, root: root, directory: request.directory))
  }

  func compute<Value: Sendable>(
    _ name: String, _ work: @escaping @Sendable () throws -> Value
  ) throws -> Value { try work() }

  func note(_ subject: String) { announce(subject) }
}
