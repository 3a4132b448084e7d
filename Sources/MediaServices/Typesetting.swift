import Confinement
import Preparation
import ProjectFormat
import Timeline
import Typesetting

/// The service `media typeset`, which draws an animation's layers.
struct TypesettingService: ChildService {
  func sandbox(for first: TypesetRequest) -> Sandbox {
    Sandbox(
      limits: .typeset, readable: first.files.values.flatMap(\.paths).sorted() + FontFiles.all,
      writable: [first.directory])
  }

  func handle(_ request: TypesetRequest) throws -> ChildAnswer {
    let typesetter = LayerTypesetter(directory: request.directory, root: request.root) { asset in
      try request.files[asset]?.open(named: asset)
    }
    do {
      return .rasters(try typesetter.rasters(for: request.rasters))
    } catch let error as ProjectError {
      return .findings(error.findings)
    }
  }
}
