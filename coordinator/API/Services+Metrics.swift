import FarmAPI
import Foundation

extension Services {
  /// All measurements of the coordinator.
  func metrics() async throws -> MetricsPage {
    var page = MetricsPage()
    page.gauge(
      "sheaf_build_info", "The version of the coordinator; always 1.",
      [.init(1, ["version": SheafVersion.current])])
    page.add(try await farm.metrics(with: scrubber.status))
    meter.add(to: &page)
    let (disk, backup, figures) = try await threads.run { [space, directory] in
      (space.status, LedgerBackup.lastTime(in: directory.path), ProcessFigures())
    }
    if let disk {
      page.gauge(
        "sheaf_disk_free_bytes", "Free bytes on the disk of the data directory.", Int(disk.free))
      page.gauge(
        "sheaf_disk_size_bytes", "Size of the disk of the data directory.", Int(disk.total))
    }
    page.gauge(
      "sheaf_disk_reserve_bytes", "Bytes that new work leaves free (--reserve-bytes).",
      Int(space.reserve))
    if let sizes = await storeSizes.current() {
      let stores = [
        ("assets", sizes.assets), ("chunks", sizes.chunks), ("mixes", sizes.mixes),
        ("outputs", sizes.outputs), ("quarantine", sizes.quarantine),
      ]
      page.gauge(
        "sheaf_store_bytes", "Bytes of the files in a store, measured once a minute.",
        stores.map { .init(Int($1.bytes), ["store": $0]) })
      page.gauge(
        "sheaf_store_files", "Files in a store, measured once a minute.",
        stores.map { .init($1.files, ["store": $0]) })
    }
    page.gauge(
      "sheaf_last_backup_timestamp_seconds",
      "Time of the last backup of the ledger, in seconds since 1970; 0 if there was none.",
      backup ?? 0)
    figures?.add(to: &page)
    return page
  }
}
