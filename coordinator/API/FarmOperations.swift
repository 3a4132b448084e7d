import FarmAPI
import Foundation
import HTTP

extension Services {
  /// The routes that describe the whole farm.
  var farmOperations: [Operation] {
    [
      Operation(.get, "/api/v1/farm", "Get the state of the whole farm", for: .readers) { _, _ in
        var status = try await farm.farmStatus()
        let (disk, backup) = try await threads.run { [space, directory] in
          (space.status, LedgerBackup.lastTime(in: directory.path))
        }
        status.disk = disk
        status.lastBackup = backup.map(Date.init(timeIntervalSince1970:))
        status.stores = await storeSizes.current().map { sizes in
          FarmStatus.Stores(
            assets: sizes.assets.bytes, chunks: sizes.chunks.bytes, outputs: sizes.outputs.bytes)
        }
        status.search = scrubber.status
        return try .wire(status)
      }
      .answering(.ok, "The farm", .json(.farmStatus)),

      Operation(
        .get, "/api/v1/farm/history", "Get the farm's load in the last hour or day", for: .readers
      ) { request, _ in
        let text = request.query["range"] ?? FarmHistory.Range.hour.rawValue
        guard let range = FarmHistory.Range(rawValue: text) else {
          let names = FarmHistory.Range.allCases.map(\.rawValue)
          throw HTTPError(
            .badRequest, type: ProblemType.malformedRequest.rawValue,
            detail: "range '\(text)' must be \(names.joined(separator: " or "))")
        }
        return try .wire(await farm.farmHistory(of: range))
      }
      .with(
        Operation.Parameter(
          name: "range", place: "query",
          summary: "The last hour in intervals of 30 seconds, or the last day in intervals of ten "
            + "minutes (hour)",
          schema: [
            "type": "string",
            "enum": .array(FarmHistory.Range.allCases.map { .string($0.rawValue) }),
          ],
          isRequired: false)
      )
      .answering(.ok, "The intervals since the coordinator started", .json(.farmHistory)),
    ]
  }
}
