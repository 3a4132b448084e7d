import CCurl
import Foundation
import Synchronization
import Threads

/// The thread that runs a client's transfers on a libcurl multi handle.
///
/// `@unchecked`: other threads use only the mutex and `curl_multi_wakeup`, which libcurl allows.
final class TransferLoop: @unchecked Sendable {
  /// Lets the caller of a transfer cancel it and receive its outcome.
  final class Ticket: Sendable {
    private let isCancelledFlag = Mutex(false)
    fileprivate let complete: @Sendable (Result<ClientResponse, any Error>) -> Void

    init(_ complete: @escaping @Sendable (Result<ClientResponse, any Error>) -> Void) {
      self.complete = complete
    }

    fileprivate var isCancelled: Bool { isCancelledFlag.withLock { $0 } }

    fileprivate func cancel() { isCancelledFlag.withLock { $0 = true } }
  }

  private struct Entry: Sendable {
    let transfer: Transfer
    let ticket: Ticket
  }

  private struct Queue {
    var arriving: [Entry] = []
    var isClosed = false
  }

  private let multi: UnsafeMutableRawPointer
  private let queue = Mutex(Queue())
  /// The running transfers by easy handle. Only the loop's thread uses this.
  private var running: [UnsafeMutableRawPointer: Entry] = [:]

  init() {
    guard let multi = curl_multi_init() else {
      preconditionFailure("libcurl has no memory for a multi handle")
    }
    self.multi = multi
    sheaf_curl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, 64)
  }

  deinit {
    curl_multi_cleanup(multi)
  }

  /// Starts the thread, which runs until ``close()``.
  func start() {
    BlockingThread.start(named: "http-client") { self.run() }
  }

  /// Runs `transfer` and completes `ticket` with its outcome, on the loop's thread.
  func run(_ transfer: Transfer, _ ticket: Ticket) {
    let entry = Entry(transfer: transfer, ticket: ticket)
    let isClosed = queue.withLock { queue in
      if !queue.isClosed { queue.arriving.append(entry) }
      return queue.isClosed
    }
    if isClosed { ticket.complete(.failure(CancellationError())) }
    curl_multi_wakeup(multi)
  }

  /// Ends the transfer of `ticket` with a `CancellationError`.
  func cancel(_ ticket: Ticket) {
    ticket.cancel()
    curl_multi_wakeup(multi)
  }

  /// Ends every transfer and the thread.
  func close() {
    queue.withLock { $0.isClosed = true }
    curl_multi_wakeup(multi)
  }

  private func run() {
    while takeArrivals() {
      var count: Int32 = 0
      curl_multi_perform(multi, &count)
      finishCompleted()
      finishCancelled()
      curl_multi_poll(multi, nil, 0, 10_000, nil)
    }
    for entry in running.values {
      finish(entry, .failure(CancellationError()))
    }
  }

  /// Starts the new transfers. Returns false if the loop is closed.
  private func takeArrivals() -> Bool {
    let (arriving, isClosed) = queue.withLock { queue in
      defer { queue.arriving = [] }
      return (queue.arriving, queue.isClosed)
    }
    for entry in arriving {
      running[entry.transfer.handle.pointer] = entry
      curl_multi_add_handle(multi, entry.transfer.handle.pointer)
    }
    return !isClosed
  }

  private func finishCompleted() {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
        let entry = running[handle]
      else { continue }
      let result = message.pointee.data.result
      finish(entry, Result { try entry.transfer.finish(result) })
    }
  }

  private func finishCancelled() {
    for entry in running.values where entry.ticket.isCancelled {
      finish(entry, .failure(CancellationError()))
    }
  }

  private func finish(_ entry: Entry, _ result: Result<ClientResponse, any Error>) {
    let handle = entry.transfer.handle.pointer
    running[handle] = nil
    curl_multi_remove_handle(multi, handle)
    entry.ticket.complete(result)
  }
}
