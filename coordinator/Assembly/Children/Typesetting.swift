import Typesetting

/// `media typeset`: makes pictures of an animation's layers.
struct TypesettingService: ChildService {
  func handle(_ request: TypesetRequest) throws -> ChildAnswer {
    let typesetter = LayerTypesetter(
      files: request.files, directory: request.directory, root: request.root)
    return .rasters(try typesetter.rasters(for: request.rasters))
  }
}
