import Confinement
import Typesetting

/// `media typeset`: makes pictures of an animation's layers.
struct TypesettingService: ChildService {
  func sandbox(for first: TypesetRequest) -> Sandbox {
    Sandbox(
      limits: .typeset, readable: first.files.values.sorted() + FontFiles.all,
      writable: [first.directory])
  }

  func handle(_ request: TypesetRequest) throws -> ChildAnswer {
    let typesetter = LayerTypesetter(
      files: request.files, directory: request.directory, root: request.root)
    return .rasters(try typesetter.rasters(for: request.rasters))
  }
}
