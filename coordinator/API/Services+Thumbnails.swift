import Crypto
import FarmAPI
import Foundation
import HTTP
import Preparation

extension Services {
  /// The maximum width of a thumbnail in pixels.
  private static let thumbnailWidth = 320

  /// The route of thumbnails.
  var thumbnailOperations: [Operation] {
    [
      Operation(
        .get, "/api/v1/jobs/{id}/segments/{index}/thumbnail",
        "Get a small JPEG of a segment's first frame, once its chunk is there", for: .readers
      ) { request, caller in
        try await thumbnail(request, for: caller)
      }
      .tagged().answering(.ok, "The picture", .bytes(["image/jpeg"]))
      .refusing(.notFound, .notFound)
    ]
  }

  private func thumbnail(_ request: Request, for caller: Caller) async throws -> Response {
    let (id, index) = (try request.job, try request.segment)
    let missing = FarmError(.notFound, "segment \(index) of job '\(id)' has no picture")
    guard let chunk = try await farm.chunk(of: index, in: id, for: caller),
      chunks.contains(chunk)
    else { throw missing }
    let response = { (picture: Data) in
      // The digest names the picture, because a chunk never changes.
      Response.bytes(
        picture, request: request, contentType: "image/jpeg", etag: chunk.description)
    }
    if let picture = pictures.picture(of: chunk) { return response(picture) }
    do {
      let picture = try await picturing.run(for: caller.name) {
        // Someone else may have asked for it meanwhile.
        if let picture = pictures.picture(of: chunk) { return picture }
        let lent = chunks.nameToLend()
        guard try await threads.run({ [chunks] in try chunks.lend(chunk, at: lent) }) else {
          throw missing
        }
        let outcome: Result<Data, any Error>
        do {
          let asset = try await referencedAsset(ofChunk: lent, of: id, for: caller)
          outcome = .success(
            try await tools.picture(
              PictureRequest(path: lent, asset: asset, widthLimit: Self.thumbnailWidth)))
        } catch {
          outcome = .failure(error)
        }
        _ = try? await threads.run { unlink(lent) }
        let picture = try outcome.get()
        pictures.keep(picture, of: chunk)
        return picture
      }
      return response(picture)
    } catch let error as StorageError {
      throw FarmError(.unavailable, "the picture cannot be made at the moment: \(error.message)")
    } catch let error as JobError {
      guard chunks.contains(chunk), !MediaChildren.isPassing(error) else {
        throw FarmError(.unavailable, "the picture cannot be made at the moment: try again")
      }
      throw FarmError(
        .notFound, "segment \(index) of job '\(id)' has no picture: \(error.failure.message)")
    }
  }
}
