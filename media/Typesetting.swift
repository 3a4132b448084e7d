import Confinement
import Planning
import Preparation
import ProjectFormat
import Timeline
import Typesetting

/// The service `typeset`, which draws an animation's layers.
struct TypesettingService: ChildService {
  func sandbox(for first: TypesetRequest) -> Sandbox {
    Sandbox(
      limits: .typeset, readable: first.files.values.flatMap(\.paths).sorted() + FontFiles.all,
      writable: [first.directory])
  }

  func handle(_ request: TypesetRequest) throws -> ChildAnswer {
    do {
      return .rasters(try Self.rasters(for: request))
    } catch let error as ProjectError {
      return .findings(error.findings)
    }
  }

  /// Draws the pictures one by one and announces each, so that the layer can be named if a limit is reached.
  ///
  /// - Throws: `ProjectError` with the findings of all pictures.
  static func rasters(for request: TypesetRequest) throws -> [LayerRaster] {
    let typesetter = LayerTypesetter(directory: request.directory, root: request.root) { asset in
      try request.files[asset]?.open(named: asset)
    }
    var rasters: [LayerRaster] = []
    var findings: [Finding] = []
    for raster in request.rasters {
      LastSubject.note("\(raster.path.place(in: request.root))")
      do {
        rasters += try typesetter.rasters(for: [raster])
      } catch let error as ProjectError {
        findings += error.findings
      }
    }
    guard findings.isEmpty else { throw ProjectError(findings: findings) }
    return rasters
  }
}
