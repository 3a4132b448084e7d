import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import Preparation
import Recording
import Scheduling
import Timeline

extension Services {
  /// The routes with which players play a job while it is rendered.
  var jobStreamOperations: [Operation] {
    [
      Operation(
        .get, "/api/v1/jobs/{id}/stream",
        "List the segments of a job, and which of them are finished, for a player", for: .readers
      ) { request, caller in
        let film = try await film(of: request.job, for: caller)
        let encoded = try await LongCoding.run(byteCount: film.frameCounts.count << 6) {
          try FarmCoding.encode(film.stream)
        }
        return .bytes(
          encoded, request: request, contentType: "application/json",
          etag: Digest.of(encoded).description)
      }
      .tagged()
      .answering(.ok, "The segments", .json(.jobStream), headers: ["ETag": ["type": "string"]])
      .refusing(.notFound, .notFound).refusing(.conflict, .wrongState),

      Operation(
        .get, "/api/v1/jobs/{id}/stream.m3u8",
        "Get the playlist of a job, which grows while the job is rendered (HTTP Live Streaming)",
        for: .readers
      ) { request, caller in
        try await playlist(request, for: caller) { isLast in
          // A job that is not planned yet has no playlist.
          let state = try await farm.status(of: request.job, for: caller).state
          guard isLast || (state != .queued && state != .planning) else { return nil }
          let film = try await film(of: request.job, for: caller)
          let (count, playlist) = film.playlist
          try await farm.note(listedSegments: count, of: request.job)
          return playlist
        }
      }
      .with(Self.pieceWait)
      .answering(.ok, "The playlist", .text(EventPlaylist.mediaType))
      .refusing(.notFound, .notFound).refusing(.conflict, .wrongState),

      Operation(
        .get, "/api/v1/jobs/{id}/stream/{track}/{file}",
        "Download the header or a piece of a job's stream, as named in its playlist",
        for: .readers
      ) { request, caller in
        try await streamedFile(request, for: caller)
      }
      .sending("The header or the piece", .bytes(["video/mp4", "audio/mp4"]))
      .refusing(.notFound, .notFound).refusing(.conflict, .wrongState),
    ]
  }

  /// The contents of a job's stream.
  ///
  /// - Throws: ``FarmError``, also if the job is completed and its chunks or its mix are gone.
  private func film(of id: JobID, for caller: Caller) async throws -> StreamedFilm {
    var film = try await reading.run(for: caller.name) {
      try await farm.film(of: id, for: caller)
    }
    let (hasSound, hasChunks) = try await threads.run {
      [chunks, mixes = workshop.mixes, film] in
      let hasSound =
        switch film.sound {
        case .none, .mixed: true
        case .pending: false
        case .kept(let key): mixes.contains(key)
        case .interim: true
        }
      return (hasSound, !film.isCompleted || film.chunks.values.allSatisfy(chunks.contains))
    }
    guard !film.isCompleted || (hasSound && hasChunks) else {
      throw FarmError(
        .notFound, "the chunks or the mix of job '\(id)' are no longer stored: download its file")
    }
    if !hasSound { film.sound = .pending }
    return film
  }

  /// Makes a piece of a job's stream, or its header.
  private func streamedFile(_ request: Request, for caller: Caller) async throws -> Response {
    let (id, name) = (try request.job, try request.parameter("file"))
    guard let track = JobStream.Track(rawValue: try request.parameter("track")) else {
      throw FarmError(.notFound, "there is no such track: use film, pictures or sound")
    }
    let isHeader = name == JobStream.headerName
    let film = try await reading.run(for: caller.name) {
      try await farm.film(of: id, for: caller, withSources: track != .pictures && !isHeader)
    }
    let missing = FarmError(
      .notFound,
      "job '\(id)' has no stream file '\(name)', or it is not finished yet: see the playlist")
    // Any chunk will do for the header: all have the same parameters.
    let place = isHeader ? film.chunks.keys.min().map { ($0, 0) } : JobStream.piece(ofFile: name)
    guard let (segment, piece) = place, let chunk = film.chunks[segment],
      let range = film.piece(piece, of: segment)
    else { throw missing }
    // What decides the bytes.
    let tag = Digest.of(
      Data("\(film.version(of: segment, range)) \(track.rawValue) \(name) \(chunk)".utf8))
    if request.hasTag(tag.description) {
      return Response(.notModified, headers: ["ETag": "\"\(tag)\"", "Cache-Control": "no-cache"])
    }
    do {
      return try await streaming.run(for: caller.name) {
        let names = LentNames(of: chunks)
        let outcome: Result<Response, any Error>
        do {
          let interim =
            track == .pictures
            ? nil : try await interim(of: film, for: isHeader ? nil : (segment, range))
          guard
            try await threads.run({ [chunks] in try chunks.lend(chunk, at: names.chunk) })
          else { throw missing }
          let asset =
            track == .sound
            ? nil : try await referencedAsset(ofChunk: names.chunk, of: id, for: caller)
          try await make(at: names.piece) { [documents, mixes = workshop.mixes] in
            guard let plan = try documents.localPath(of: .plan(film.plan.file)) else {
              throw missing
            }
            let mix = track == .pictures ? nil : try film.lendMix(from: mixes, as: names)
            if mix == nil, interim == nil,
              track == .sound || (track == .film && film.soundState != .none)
            {
              throw missing
            }
            return StreamRequest(
              plan: PlanSource(path: plan, part: film.plan.head),
              chunk: StreamedChunk(
                path: names.chunk, sha256: chunk, segment: segment,
                firstFrame: film.firstFrame(of: segment)),
              asset: asset, frames: range, number: film.number(of: piece, of: segment),
              isHeader: isHeader,
              hasPictures: track != .sound, mix: mix, interim: interim)
          }
          outcome = .success(
            try await threads.run {
              try Response.file(
                path: names.piece, request: request,
                contentType: track == .sound ? "audio/mp4" : "video/mp4", etag: tag.description)
            })
        } catch {
          outcome = .failure(error)
        }
        // The response keeps the file open after it is unlinked.
        _ = try? await threads.run { names.remove() }
        var response = try outcome.get()
        response.headers["Cache-Control"] = "no-cache"
        return response
      }
    } catch let error as JobError
      where film.isCompleted && JobError.ofAssets.contains(error.failure.code)
    {
      throw FarmError(
        .notFound,
        "job '\(id)' can no longer be streamed, because an asset is missing or has changed: "
          + "download its file")
    } catch let error as JobError {
      // Everything else may pass: a damaged chunk is rendered again, and a disk gets free space.
      guard error.failure.code.rawValue == "invalid-settings" else {
        throw FarmError(.unavailable, "job '\(id)': \(error.failure.message)")
      }
      throw FarmError(.wrongState, "job '\(id)': \(error.failure.message)")
    } catch let error as StorageError {
      throw FarmError(.unavailable, "job '\(id)': \(error.message)")
    }
  }

  /// The interim mix of a job that follows a recording, with the files that a piece may need; `nil` for other jobs.
  ///
  /// - Parameter piece: the segment, and the frames of the piece in it; `nil` for a header, which needs no files.
  private func interim(
    of film: StreamedFilm, for piece: (segment: Int, frames: Range<Int>)?
  ) async throws -> StreamRequest.Interim? {
    guard case .interim(let mix) = film.sound else { return nil }
    return try await threads.run { [documents, files = workshop.files] in
      guard let plan = try documents.localPath(of: .plan(film.plan.file)) else {
        throw JobError.damagedPlan("its file is missing")
      }
      var found: [String: AssetFile] = [:]
      for source in try piece.map({ try film.sources(of: mix, $0.segment, $0.frames) }) ?? [] {
        if let reference = source.reference,
          // The job's run hashes it again if it was written to just before it was hashed.
          let file = try files.file(of: reference, named: source.name, at: nil)
        {
          found[source.asset.description] = file
          continue
        }
        let problem = "\(source.name): its file is missing or has changed"
        guard film.isCompleted else { throw JobError(.missingAsset, problem) }
        throw FarmError(
          .notFound, "\(problem), so the job's stream has no sound: download its file")
      }
      return StreamRequest.Interim(mix: PlanSource(path: plan, part: mix.part), files: found)
    }
  }

  /// Lets a media process write a piece to a new file.
  private func make(
    at path: String, _ request: @escaping @Sendable () throws -> StreamRequest
  ) async throws {
    let (request, file) = try await threads.run {
      let request = try request()
      let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw FarmError(
          .unavailable,
          "the piece cannot be stored: \(String(cString: strerror(errno))): try again")
      }
      return (request, FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }
    try await tools.stream(request, to: file.fileDescriptor)
  }
}

/// Names of files that exist while a piece is made.
private struct LentNames: Sendable {
  let chunk: String
  let mix: String
  let blocks: String
  let piece: String

  init(of chunks: ChunkStore) {
    (chunk, mix) = (chunks.nameToLend(), chunks.nameToLend())
    (blocks, piece) = (chunks.nameToLend(), chunks.nameToLend())
  }

  /// Removes the files that exist. Blocks.
  func remove() { for path in [chunk, mix, blocks, piece] { unlink(path) } }
}

extension StreamedFilm {
  private var layout: StreamLayout { StreamLayout(frameDuration: plan.frameDuration) }

  /// Whether its sound can be streamed.
  fileprivate var soundState: JobStream.Sound {
    switch sound {
    case .none: .none
    case .pending: .pending
    case .mixed, .kept, .interim: .ready
    }
  }

  /// The assets that may be heard in some frames of a segment.
  fileprivate func sources(
    of mix: PlanFacts.InterimMix, _ segment: Int, _ frames: Range<Int>
  ) throws(JobError) -> [PlanFacts.InterimMix.Source] {
    let first = firstFrame(of: segment)
    do throws(TimeError) {
      return try mix.sources(
        from: plan.frameDuration * Int64(first + frames.lowerBound),
        before: plan.frameDuration * Int64(first + frames.upperBound))
    } catch {
      throw JobError.damagedPlan("a number of its sound is out of range")
    }
  }

  /// The number of a segment's first frame, counted from the start of the film.
  fileprivate func firstFrame(of segment: Int) -> Int {
    frameCounts[..<segment].reduce(0) { $0 + Int($1) }
  }

  /// The number of a piece in the film, from 1.
  fileprivate func number(of piece: Int, of segment: Int) -> Int {
    frameCounts[..<segment].reduce(1 + piece) { $0 + layout.pieces(ofFrames: Int($1)).count }
  }

  /// The frames of a piece of a segment; `nil` if it has no such piece.
  fileprivate func piece(_ piece: Int, of segment: Int) -> Range<Int>? {
    guard frameCounts.indices.contains(segment) else { return nil }
    let pieces = layout.pieces(ofFrames: Int(frameCounts[segment]))
    return pieces.indices.contains(piece) ? pieces[piece] : nil
  }

  /// A text that differs if the bytes of a piece do, apart from its chunk, its name and its track.
  fileprivate func version(of segment: Int, _ frames: Range<Int>) -> String {
    // The plan describes the sound. An interim mix is the same in later plans, except that the film's last piece
    // contains the end of the sound.
    guard case .interim = sound else { return plan.hash.description }
    let end = firstFrame(of: segment) + frames.upperBound
    let isLast = end == plan.frameCount && plan.isPartial != true
    return "\(plan.streamRevision) \(plan.streamFormat?.description ?? "") \(isLast)"
  }

  /// Gives the mix and its block digests temporary names, so that they are not deleted while they are read. Blocks.
  ///
  /// - Returns: the mix under its other name; `nil` if there is none.
  fileprivate func lendMix(from mixes: MixStore, as names: LentNames) throws -> AssetFile? {
    switch sound {
    case .none, .pending, .interim: return nil
    case .kept(let key):
      return try mixes.lendUnread(key, as: names.mix, blocks: names.blocks).map {
        AssetFile(path: names.mix, blocks: BlockList(path: names.blocks, digest: $0.blocks))
      }
    case .mixed(let file):
      guard let blocks = file.blocks, (try? LentFile.make(of: file.path, at: names.mix)) == true,
        (try? LentFile.make(of: blocks.path, at: names.blocks)) == true
      else { return nil }
      return AssetFile(
        path: names.mix, blocks: BlockList(path: names.blocks, digest: blocks.digest))
    }
  }

  /// The segments for players that can begin anywhere.
  fileprivate var stream: JobStream {
    let frame = plan.frameDuration.seconds
    var first = 0
    let segments = frameCounts.enumerated().map { index, count in
      defer { first += Int(count) }
      return JobStream.Segment(
        isFinished: chunks[index] != nil, start: Double(first) * frame,
        end: Double(first + Int(count)) * frame,
        pieces: layout.pieces(ofFrames: Int(count)).count)
    }
    return JobStream(
      startTime: layout.startTime, duration: Double(plan.frameCount) * frame, sound: soundState,
      segments: segments, hasEnded: isCompleted, revision: plan.streamRevision)
  }

  /// The playlist of what is finished without a gap from the start, with its sound.
  ///
  /// - Returns: also the number of its segments.
  fileprivate var playlist: (count: Int, playlist: EventPlaylist) {
    let folder = "stream/\(JobStream.Track.film.rawValue)"
    // Players must load another header if a later plan needs another one.
    let format = plan.streamFormat.map { "?format=\($0.description.prefix(16))" } ?? ""
    var pieces: [EventPlaylist.Piece] = []
    var listed = 0
    for (index, count) in frameCounts.enumerated() {
      guard soundState != .pending, chunks[index] != nil else { break }
      listed += 1
      for (number, frames) in layout.pieces(ofFrames: Int(count)).enumerated() {
        pieces.append(
          EventPlaylist.Piece(
            header: "\(folder)/\(JobStream.headerName)\(format)",
            address: "\(folder)/\(JobStream.fileName(ofPiece: number, ofSegment: index))",
            duration: (try? plan.frameDuration * Int64(frames.count)) ?? .zero))
      }
    }
    let playlist = EventPlaylist(
      pieces, targetDuration: layout.longestPiece, areIndependent: false, beginsAtStart: true,
      hasEnded: isCompleted)
    return (listed, playlist)
  }
}
