import ProjectFormat
import Timeline

/// Decides how the preset `automatic` makes a file.
///
/// The decision depends only on the project and its media. The output continues the format of the footage that fills
/// the most time, among the footage with the size and rate that the project sets, if it sets any. Recordings that the
/// project follows come before other footage, however long they are.
struct FormatChooser {
  /// At least one frame in this many must be copied. Otherwise, continuing a format is not worth giving up the usual
  /// one.
  private static let leastCopied = 10

  let document: ProjectDocument
  let indexes: [String: MediaIndex]

  /// A choice, and how the frames are encoded that cannot be copied; no continuation if there are none.
  struct Decision {
    let choice: FormatChoice
    var continuation: FormatContinuation?
  }

  /// The decision; `nil` if the document's findings prevent any.
  func decision() -> Decision? {
    guard let project = try? document.project(indexes: indexes),
      project.findings(indexes: indexes).isEmpty
    else { return nil }
    guard project.exportsPictures else {
      return Decision(choice: .encoded(because: .nothingMoves))
    }
    do {
      return try decision(for: project)
    } catch let obstacle as FormatObstacle {
      return Decision(choice: .encoded(because: obstacle))
    } catch {
      return Decision(choice: .encoded(because: .layout))
    }
  }

  private func decision(for project: Project) throws -> Decision {
    let footage = try Footage(of: project, indexes: indexes)
    let leading = try leadingGroup(of: footage, asked: document.askedFormat)
    let format = leading.format
    if let obstacle = format.obstacle(in: document.export.fileType) { throw obstacle }
    if format.color.transfer.isHDR,
      footage.groups.contains(where: { $0.format.color.transfer != format.color.transfer })
    {
      throw FormatObstacle.dynamicRange
    }
    if !format.isPlain {
      guard footage.groups.count == 1, !footage.hasStills, document.isUndirected,
        document.askedFormat.renderSize == nil
      else { throw FormatObstacle.turned }
    }
    guard let rate = format.rate else { throw FormatObstacle.variableRate }
    let continued = ContinuedFormat(
      asset: leading.asset, trackIndex: leading.trackIndex, size: format.size,
      frameDuration: try RationalTime(1) / rate, isStored: !format.isPlain)
    return try trial(of: .continued(continued), isFollowed: leading.isFollowed)
  }

  /// The footage that fills the most time, among that with the size and rate that the project sets.
  private func leadingGroup(
    of footage: Footage, asked: AskedFormat
  ) throws(FormatObstacle) -> Footage.Group {
    guard !footage.groups.isEmpty else { throw .nothingMoves }
    var groups = footage.groups
    if let size = asked.renderSize {
      groups.removeAll { $0.format.size != size || !$0.format.isPlain }
      guard !groups.isEmpty else { throw .size }
    }
    if let duration = asked.frameDuration {
      groups.removeAll { group in
        group.format.rate.flatMap { try? $0 * duration } != RationalTime(1)
      }
    }
    guard let first = groups.first else { throw .rate }
    return first
  }

  /// Lays out the timeline to see what can be copied.
  ///
  /// - Parameter isFollowed: whether the format is that of a recording that the project follows. How much of it will be
  ///   copied may be unknown, so one frame that is shown unchanged is enough.
  private func trial(of choice: FormatChoice, isFollowed: Bool) throws -> Decision {
    let project = try document.choosing(choice).project(indexes: indexes)
    guard project.findings(indexes: indexes).isEmpty else { throw FormatObstacle.encoder }
    let layout: PassthroughLayout
    var source: PassthroughSource?
    let (completed, videoComposition) = try project.completed(indexes: indexes)
    let draft = try DraftTimeline(
      completed, showing: videoComposition, indexes: project.export.indexes(indexes), rasters: nil)
    do throws(ProjectError) {
      source = try PassthroughSource(chosenFor: project, indexes: indexes)
      guard let source else { throw ProjectError(findings: []) }
      layout = try draft.layout(copying: source, project.export)
    } catch {
      let isOneDescription = error.findings.contains {
        $0.path == PassthroughLayout.compatibilityPath
      }
      guard !isOneDescription else { throw FormatObstacle.compatibility }
      throw source?.hasEncoder == false ? FormatObstacle.encoder : .layout
    }
    let copiesEnough =
      layout.copiedCount > 0 && layout.copiedCount * Self.leastCopied >= draft.shown.count
    guard isFollowed ? layout.unchangedCount > 0 : copiesEnough else {
      throw FormatObstacle.fewFrames
    }
    return Decision(
      choice: choice,
      continuation: layout.carried.encoded.map { encoded in
        FormatContinuation(
          format: encoded, size: draft.videoComposition.renderSize,
          frameDuration: draft.grid.frameDuration)
      })
  }
}

/// The way in which frames that cannot be copied are encoded in a format that the output continues.
struct FormatContinuation {
  let format: CarriedFormat.EncodedFormat
  /// The output's size in pixels.
  let size: PixelSize
  /// The length of one output frame, in seconds.
  let frameDuration: RationalTime
}

extension FormatObstacle: Error {}

extension ProjectDocument {
  /// The document with the decision of the preset `automatic`. With another preset, and if a decision has been made or
  /// findings prevent one, the document is unchanged.
  package func choosingFormat(indexes: [String: MediaIndex]) -> ProjectDocument {
    choosingContinuation(indexes: indexes).document
  }

  /// The document with the decision of the preset `automatic`, and how frames are encoded if it continues a format and
  /// cannot copy all of them.
  func choosingContinuation(
    indexes: [String: MediaIndex]
  ) -> (document: ProjectDocument, continuation: FormatContinuation?) {
    guard export.isAutomatic, export.choice == nil,
      let decision = FormatChooser(document: self, indexes: indexes).decision()
    else { return (self, nil) }
    return (choosing(decision.choice), decision.continuation)
  }

  /// The document with a decision of the preset `automatic`.
  package func choosing(_ choice: FormatChoice) -> ProjectDocument {
    switch self {
    case .composition(var project):
      project.export.choice = choice
      return .composition(project)
    case .sequence(var sequence):
      sequence.export.choice = choice
      return .sequence(sequence)
    }
  }

  /// The size and rate that the document sets.
  fileprivate var askedFormat: AskedFormat {
    switch self {
    case .sequence(let sequence): return sequence.askedFormat
    case .composition(let project):
      if let videoComposition = project.videoComposition {
        return AskedFormat(
          renderSize: videoComposition.outputSize,
          frameDuration: videoComposition.frameDuration)
      }
      let size = project.composition.naturalSize
      return AskedFormat(
        renderSize: size.map {
          PixelSize(
            width: Int(exactly: $0.width) ?? 0, height: Int(exactly: $0.height) ?? 0)
        })
    }
  }

  /// Whether the document places pictures the same whether they are joined upright or as they are stored: there are no
  /// layers, and no transition has a direction or a shape.
  fileprivate var isUndirected: Bool {
    switch self {
    case .composition(let project):
      return project.videoComposition == nil
        && project.composition.tracks.allSatisfy { $0.preferredTransform == nil }
    case .sequence(let sequence):
      return sequence.animation == nil && sequence.titles.isEmpty
        && sequence.items.allSatisfy { item in
          guard case .transition(let transition) = item else { return true }
          return [.dissolve, .crossDissolve, .fade].contains(transition.kind)
        }
    }
  }
}
