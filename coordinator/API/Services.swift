import HTTP
import Preparation
import Threads

/// The services that the routes use.
struct Services: Sendable {
  let farm: Farm
  let tools: any MediaTools
  /// The workshop of jobs' runs, for checks of projects.
  let workshop: Workshop
  let documents: DocumentStore
  /// The storage if workers can reach it; `nil` otherwise.
  let sharedObjects: (any SharedObjectStorage)?
  let scrubber: Scrubber
  let meter: HTTPMeter
  let storeSizes: StoreSizes
  let assets: AssetStore
  let chunks: ChunkStore
  let outputs: OutputStore
  let outputChecks: OutputChecks
  /// Checks finished files of recordings.
  let recordedChecks: OutputChecks
  /// The checks of fragments of recordings, which do not wait for those of finished files.
  let fragmentChecks: OutputChecks
  let assetChecks: AssetChecks
  let directory: DataDirectory
  let space: DiskSpace
  let threads: BlockingThreads
  let mediaRoots: MediaRoots
  let sources: AssetSources
  let recorder: Recorder
  let recordingSources: AllowedRecordingSources
  let notifications: NotificationSettings
  let access: Access
  let tokens: TokenFile
  /// The exchange of tokens with the farm's other coordinators; `nil` if there are none.
  let exchange: TrustExchange?
  let limits: Limits
  /// The tries of a submission that has not been read.
  let tries: RunTries
  let eventStreams: Occupancy
  let longPolls: Occupancy
  /// Limits the submissions with a key that are being read or wait to be read. They continue if their clients
  /// disconnect, so the limits on connections do not apply to them.
  let submissionSlots: Occupancy
  /// Limits how many uploads are resumed at a time, which means reading their received parts: four in all, and three
  /// for one caller.
  let resumptions = FairGate(4)
  /// The room for submissions in memory, from the time when they are read until the ledger has stored them.
  let reception = SubmissionRoom()
  /// Submissions with a key that are being read. A submission that is sent again meanwhile, because its client received
  /// no response, is not read a second time.
  let submissions = SingleFlight<SubmissionInFlight, Acceptance>()
  /// Limits how many uploads are flushed to disk at a time: four in all, and three for one caller. If the asset is
  /// stored already, all of it is read.
  let finishing = FairGate(4)

  /// Limits how many projects are checked at a time: four in all, and three for one caller.
  let checking = FairGate(4)

  /// Limits how many lists of jobs, segments and concealed parts are read at a time: two in all, and one for each
  /// caller. Other requests are served in between.
  let listing = FairGate(2)

  /// Limits how many pictures are made at a time: two in all, and one for each caller.
  let picturing = FairGate(2)
  /// Limits how many descriptions of jobs' streams are read at a time: four in all, and three for one caller.
  let reading = FairGate(4)
  /// Limits how many pieces of jobs' streams are made at a time: four in all, and three for one caller.
  let streaming = FairGate(4)
  /// The pictures that were made last.
  let pictures = PictureCache()

  /// The operations of every route.
  var operations: [Operation] {
    let routes =
      jobOperations + jobControlOperations + historyOperations + documentOperations
      + thumbnailOperations + jobStreamOperations + projectCheckOperations + assetOperations
      + workerOperations
      + leaseOperations + eventOperations + farmOperations + tokenOperations
      + operatorOperations + sessionOperations + notificationOperations + recordingOperations
      + recordingStreamOperations
    return routes + [descriptionOperation(routes)]
  }

  /// The router over every route.
  func router() -> Router {
    var router = Router()
    for operation in operations {
      operation.add(to: &router, guardedBy: access, within: limits)
    }
    return router
  }
}
