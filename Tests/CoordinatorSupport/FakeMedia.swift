import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import ProjectFormat
import Support
import Synchronization
import Timeline
import sheaf_coordinator

/// Media tools without media: every file is a clip of ten seconds, and a job's file is its chunks in sequence.
package final class FakeMedia: MediaTools {
  /// The outcome of planning a project.
  package enum Planning {
    /// Planning succeeds.
    case well
    /// Planning never ends.
    case never
    /// The process is killed from outside this many times before planning succeeds.
    case killed(times: Int)
  }

  private let planning: Mutex<Planning>
  private let reading: @Sendable (ReadingRequest, String?) async throws -> SubmissionFacts
  /// The error of indexing any file.
  package let failure: Failure?
  /// The bytes of the chunk that cannot be appended, and the number of times that appending it fails.
  private let badChunk: Mutex<(bytes: Data?, times: Int)>
  /// The error code for the chunk that cannot be appended.
  private let badCode: FailureCode
  /// Whether chunks refer to all assets that segments show.
  private let refersToAssets: Bool
  /// The errors of the attempts to finish the job's file, one for each attempt; later attempts succeed.
  private let assemblyFailures: Mutex<[any Error]>
  /// Changes the directory of a frozen plan before the coordinator reads it.
  private let afterPlanning: @Sendable (String) throws -> Void
  /// Runs before a job's file is finished.
  private let beforeFinish: @Sendable () async throws -> Void
  /// Changes a job's file once it is written.
  private let afterFinish: @Sendable (String) throws -> Void
  /// Runs before a file is indexed. If it throws a `JobError`, indexing the file fails with this error.
  private let probing: @Sendable (ProbeRequest) throws -> Void
  /// The parts of jobs' sound that conceal damage.
  private let concealedSound: [Concealment]
  /// Runs before sound is mixed.
  private let mixing: @Sendable () async throws -> Void
  /// The news about sound while it is mixed.
  private let soundNews: [SoundNews]
  private let added = Mutex<[SoundPart]>([])
  private let begun = Mutex<[AssemblySound?]>([])
  /// The errors of the attempts to add parts of sound, one for each attempt; later attempts succeed.
  private let partFailures: Mutex<[any Error]>
  /// Decodes what segments show.
  private let decoding: @Sendable (DecodingRequest) async throws -> DamagedSegment?
  /// Runs before files are indexed for a submitter.
  private let beforeIndexing: @Sendable (String?) async throws -> Void
  /// Waits until a submitter has time for planning.
  private let planningTime: @Sendable (String?) async throws -> Void
  private let openFiles = OpenFiles()
  private let typesetting: @Sendable (TypesetRequest) throws -> [LayerRaster]
  /// The findings on the encoder settings.
  private let wrong: [Finding]
  private let probed = Mutex<[String]>([])
  private let pictured = Mutex(0)
  private let mixed = Mutex(0)
  /// The versions of the libraries that mix sound.
  private let fingerprint: String
  private let reached = Mutex<[Reach]>([])

  /// The files that an assembling process can reach when it appends a chunk.
  package struct Reach {
    /// The chunk's path.
    package let chunk: String
    /// The directory that it may read, and what lies in it.
    package let readable: String
    package let contents: [String]
    /// The directory that it may write.
    package let writable: String
  }

  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }

  package init(
    failure: Failure? = nil, badChunk: Data? = nil, times: Int = 1, code: FailureCode = .badChunk,
    refersToAssets: Bool = false,
    assemblyFailures: [any Error] = [], wrong: [Finding] = [], planning: Planning = .well,
    afterPlanning: @escaping @Sendable (String) throws -> Void = { _ in },
    beforeFinish: @escaping @Sendable () async throws -> Void = {},
    afterFinish: @escaping @Sendable (String) throws -> Void = { _ in },
    probing: @escaping @Sendable (ProbeRequest) throws -> Void = { _ in },
    beforeIndexing: @escaping @Sendable (String?) async throws -> Void = { _ in },
    planningTime: @escaping @Sendable (String?) async throws -> Void = { _ in },
    concealedSound: [Concealment] = [],
    mixing: @escaping @Sendable () async throws -> Void = {}, soundNews: [SoundNews] = [],
    partFailures: [any Error] = [], fingerprint: String = "libraries",
    decoding: @escaping @Sendable (DecodingRequest) async throws -> DamagedSegment? = { _ in nil },
    reading: @escaping @Sendable (ReadingRequest, String?) async throws -> SubmissionFacts = {
      request, _ in try SubmissionReading.read(request)
    },
    typeset: @escaping @Sendable (TypesetRequest) throws -> [LayerRaster] = { _ in [] }
  ) {
    typesetting = typeset
    self.refersToAssets = refersToAssets
    self.afterPlanning = afterPlanning
    self.probing = probing
    self.beforeFinish = beforeFinish
    self.afterFinish = afterFinish
    self.beforeIndexing = beforeIndexing
    self.planningTime = planningTime
    self.concealedSound = concealedSound
    self.mixing = mixing
    self.soundNews = soundNews
    self.partFailures = Mutex(partFailures)
    self.fingerprint = fingerprint
    self.decoding = decoding
    self.planning = Mutex(planning)
    self.reading = reading
    self.wrong = wrong
    self.failure = failure
    self.badChunk = Mutex((badChunk, times))
    badCode = code
    self.assemblyFailures = Mutex(assemblyFailures)
  }

  /// The names of the files that were indexed, in order.
  package var probedNames: [String] { probed.withLock { $0 } }

  /// The sound with which files began, in order.
  package var begunSounds: [AssemblySound?] { begun.withLock { $0 } }

  /// The parts of sound with which assemblies began, or that were added to them, in order.
  package var addedParts: [SoundPart] { added.withLock { $0 } }

  /// The files that assembling processes could reach, chunk by chunk.
  package var reaches: [Reach] { reached.withLock { $0 } }

  package func read(_ request: ReadingRequest, for submitter: String?) async throws
    -> SubmissionFacts
  {
    try await reading(request, submitter)
  }

  /// The number of files that are being assembled.
  package var openFileCount: Int { openFiles.now }

  /// The largest number of files that were assembled at a time.
  package var mostOpenFiles: Int { openFiles.most }

  package func waitForPlanningTime(of submitter: String?) async throws {
    try await planningTime(submitter)
  }

  package func index(
    _ files: [ProbeRequest], in directory: String, for submitter: String?,
    keeping keep: @escaping @Sendable (_ place: Int, _ index: String) async throws -> Void
  ) async throws -> [JobError?] {
    try await beforeIndexing(submitter)
    probed.withLock { $0 += files.map(\.name) }
    if let failure { throw failure }
    let errors = try files.map { file -> JobError? in
      do {
        try probing(file)
        return nil
      } catch let error as JobError {
        return error
      }
    }
    for place in files.indices where errors[place] == nil {
      try MediaIndexFile.write(Self.clip(), to: "\(directory)/\(place)")
      try await keep(place, "\(directory)/\(place)")
    }
    return errors
  }

  package func plan(
    _ request: PlanningRequest, for submitter: String?,
    starting begin: @Sendable () async throws -> Void
  ) async throws -> PlanFacts {
    try await begin()
    let fate = planning.withLock { planning in
      defer {
        if case .killed(let times) = planning {
          planning = times > 1 ? .killed(times: times - 1) : .well
        }
      }
      return planning
    }
    switch fate {
    case .well: break
    case .never: try await untilCancelled()
    case .killed: throw JobError(.mediaProcessKilled, "the process was killed")
    }
    let planning = ProjectPlanning(check: { [wrong] _ in wrong }, typeset: typesetting)
    var facts = try PlanFreezing.freeze(request.freezing(try await planning.plan(request)))
    facts.sound?.fingerprint = fingerprint
    if refersToAssets {
      facts.copiedAssets = facts.assets.map { PlanFacts.CopiedAsset(asset: $0) }
    }
    try afterPlanning(request.frozen)
    return facts
  }

  package func freeze(_ request: FreezingRequest, for submitter: String?) async throws -> PlanFacts
  {
    try PlanFreezing.freeze(request)
  }

  package func indexes(of files: [ProbeRequest]) async throws -> [Result<MediaIndex, JobError>] {
    try files.map { _ in .success(try Self.clip()) }
  }

  private static func clip() throws -> MediaIndex {
    try .clip(seconds: RationalTime(10), size: PixelSize(width: 320, height: 180))
  }

  package func check(_ request: EncoderCheck) async throws -> [Finding] { wrong }

  package func typeset(_ request: TypesetRequest) async throws -> [LayerRaster] {
    try typesetting(request)
  }

  package func findDamage(_ request: DecodingRequest) async throws -> DamagedSegment? {
    try await decoding(request)
  }

  package func mix(
    for submitter: String?, telling tell: @Sendable (SoundNews) -> Void,
    _ request: @Sendable () async throws -> (MixRequest, PlanFacts.Sound)
  ) async throws -> MixedSound {
    let (request, _) = try await request()
    if request.parts != nil { soundNews.forEach(tell) }
    try await mixing()
    try Data("mix".utf8).write(to: URL(fileURLWithPath: request.output))
    let report = MixReport(
      loudness: try request.mix.decode(MixDescription.self).settings.loudness.map {
        LoudnessReport(
          target: $0.target, before: -23, gain: $0.target + 23, after: $0.target, truePeak: -1,
          isLimited: false)
      }, concealments: concealedSound,
      waveform: Waveform(samplesPerPoint: 4800, sampleRate: 48_000, peaks: [0, 128, 255]))
    let blocks = BlockDigests.of("mix".utf8)
    try Data(blocks.stored).write(to: URL(fileURLWithPath: request.blocks))
    mixed.withLock { $0 += 1 }
    return MixedSound(report: report, blocks: blocks.digest, fingerprint: fingerprint)
  }

  package func picture(_ request: PictureRequest) async throws -> Data {
    pictured.withLock { $0 += 1 }
    let chunk = try Data(contentsOf: URL(fileURLWithPath: request.path))
    return Data("picture of ".utf8) + chunk
  }

  package func stream(_ request: StreamRequest, to descriptor: Int32) async throws {
    var text = request.isHeader ? "header" : "frames \(request.frames) of \(request.chunk.segment)"
    if !request.hasPictures { text += ", sound" }
    if let mix = request.mix {
      text += ", " + (try String(contentsOfFile: mix.path, encoding: .utf8))
    }
    FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(Data(text.utf8))
  }

  /// The number of mixes that were made.
  package var mixCount: Int { mixed.withLock { $0 } }

  /// The number of pictures that were made.
  package var pictureCount: Int { pictured.withLock { $0 } }

  package func assemble(_ beginning: AssemblyBeginning) async throws -> any FileAssembly {
    let befalls: @Sendable () async throws -> Void = { [self] in
      try await beforeFinish()
      let failure = assemblyFailures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      if let failure { throw failure }
    }
    begun.withLock { $0.append(beginning.sound) }
    if case .parts(_, let first) = beginning.sound { added.withLock { $0.append(first) } }
    return FakeAssembly(
      output: beginning.output,
      adding: { [self] parts in
        let failure = partFailures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let failure { throw failure }
        added.withLock { $0 += parts }
      },
      among: openFiles, befalls: befalls, afterwards: afterFinish
    ) { [self] path, chunk in
      let contents = try FileManager.default.subpathsOfDirectory(atPath: beginning.chunks)
      let writable = URL(fileURLWithPath: beginning.output).deletingLastPathComponent().path
      reached.withLock {
        $0.append(
          Reach(chunk: path, readable: beginning.chunks, contents: contents, writable: writable))
      }
      try badChunk.withLock { bad in
        guard chunk == bad.bytes, bad.times > 0 else { return }
        bad.times -= 1
        throw JobError(badCode, "the chunk is damaged")
      }
    }
  }
}

/// Counts files that are being assembled.
private final class OpenFiles: Sendable {
  private let counts = Mutex((now: 0, most: 0))

  var now: Int { counts.withLock { $0.now } }
  var most: Int { counts.withLock { $0.most } }

  func open() {
    counts.withLock { counts in
      counts.now += 1
      counts.most = max(counts.most, counts.now)
    }
  }

  func close() { counts.withLock { $0.now -= 1 } }
}

private final class FakeAssembly: FileAssembly {
  private let output: String
  private let files: OpenFiles
  private let isOpen = Mutex(true)
  private let befalls: @Sendable () async throws -> Void
  private let afterwards: @Sendable (String) throws -> Void
  private let check: @Sendable (String, Data) throws -> Void
  private let bytes = Mutex(Data())
  private let adding: @Sendable ([SoundPart]) throws -> Void

  init(
    output: String, adding: @escaping @Sendable ([SoundPart]) throws -> Void,
    among files: OpenFiles,
    befalls: @escaping @Sendable () async throws -> Void,
    afterwards: @escaping @Sendable (String) throws -> Void,
    check: @escaping @Sendable (String, Data) throws -> Void
  ) {
    self.output = output
    self.files = files
    self.adding = adding
    files.open()
    self.befalls = befalls
    self.afterwards = afterwards
    self.check = check
  }

  func add(_ parts: [SoundPart]) async throws { try adding(parts) }

  func append(
    chunk path: String, sha256: Digest, frameCount: Int, referringTo byteCount: Int64
  ) async throws -> ChunkOutcome {
    let chunk = try Data(contentsOf: URL(fileURLWithPath: path))
    guard Digest.of(chunk) == sha256 else {
      return .damaged("the chunk is damaged on the disk")
    }
    do {
      try check(path, chunk)
    } catch let error as JobError where error.failure.code == .badChunk {
      return .bad(error.failure.message)
    } catch let error as JobError where error.failure.code == .unwritableChunk {
      return .unwritable(error.failure.message)
    }
    bytes.withLock { $0 += chunk }
    return .appended(isFull: false)
  }

  deinit { close() }

  private func close() {
    let wasOpen = isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
    if wasOpen { files.close() }
  }

  func abandon() async { close() }

  func finish() async throws -> WrittenContent {
    try await befalls()
    close()
    let data = bytes.withLock { $0 }
    try data.write(to: URL(fileURLWithPath: output))
    try afterwards(output)
    return WrittenContent.of(data)
  }
}
