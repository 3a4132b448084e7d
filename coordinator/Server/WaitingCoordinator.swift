import Crypto
import FarmAPI
import Foundation
import HTTP
import PostgreSQL
import Synchronization
import Threads

/// One of several coordinators of a farm, until it owns the ledger. Meanwhile, it passes clients' connections on to the
/// owner.
final class WaitingCoordinator: Sendable {
  /// The socket to which clients connect.
  let listener: ListeningSocket
  /// The socket to which other coordinators pass connections on, once this one owns the ledger.
  let entranceListener: ListeningSocket
  /// The place and the key of ``entranceListener``.
  let entrance: RelayTarget
  private let configuration: ServeConfiguration
  private let ledger: ServerAddress
  private let log: Log
  private let isCancelled = Mutex(false)
  private let relay: Relay
  /// The reason why this coordinator could not use the store the last time; `nil` if it could.
  private let storeProblem = Mutex<String?>(nil)
  /// The time between two reads of the owner.
  private static let interval: TimeInterval = 0.5
  /// The time to wait after a takeover that failed.
  private static let pause = Duration.seconds(5)
  /// The time between two checks of the store.
  private static let checkInterval = Duration.seconds(3600)

  /// Listens on the addresses of a configuration.
  ///
  /// - Parameters:
  ///   - place: where other coordinators reach this one.
  ///   - connectionLimit: the most connections that are passed on at a time.
  init(
    _ configuration: ServeConfiguration, ledger: ServerAddress, at place: SocketPlace,
    connectionLimit: Int, log: Log
  ) throws {
    listener =
      if let descriptor = configuration.descriptor {
        try ListeningSocket(adopting: descriptor)
      } else {
        try ListeningSocket(address: configuration.bind, port: configuration.port)
      }
    entranceListener = try ListeningSocket(
      address: "\(place.address)", port: place.port, listens: false)
    relay = try Relay(
      accepting: listener, isSecure: configuration.certificate != nil, limit: connectionLimit)
    entrance = RelayTarget(
      SocketPlace(place.address, port: entranceListener.port), key: SecureRandom.token())
    (self.configuration, self.ledger, self.log) = (configuration, ledger, log)
  }

  deinit { relay.stop() }

  /// Lets this coordinator's own server answer clients, instead of telling them to try again.
  func stopPassing() { relay.stop() }

  /// Makes ``takeOver(sharing:whenListening:)`` return.
  func cancel() { isCancelled.withLock { $0 = true } }

  /// Waits until no other coordinator owns the ledger, and takes it over. Blocks.
  ///
  /// - Parameters:
  ///   - exchange: the exchange of tokens with the other coordinators.
  ///   - announce: called when clients can connect although another coordinator owns the ledger.
  /// - Returns: the coordinator that owns the ledger; `nil` after ``cancel()``.
  /// - Throws: ``StorageError`` or ``LedgerError`` if the data directory, the ledger or the store cannot be used.
  func takeOver(
    sharing exchange: TrustExchange?, whenListening announce: () -> Void
  ) throws -> Coordinator? {
    // A coordinator that starts again on the same directory need not wait for its claim to expire.
    if let coordinator = try claim(exchange) { return coordinator }
    var view = OwnerView(ledger: ledger, log: log)
    var owner = view.look()
    relay.pass(to: target(of: owner))
    announce()
    var (nextTry, nextCheck) = (ContinuousClock.now, ContinuousClock.now)
    while !isCancelled.withLock({ $0 }) {
      if .now >= nextCheck {
        checkStore()
        nextCheck = .now + Self.checkInterval
      }
      if owner?.isOver == true, .now >= nextTry {
        do {
          if let coordinator = try claim(exchange) { return coordinator }
        } catch let error as StorageError where [.inUse, .damaged].contains(error.code) {
          throw error
        } catch {
          view.report(failedTakeover: "\(error)")
          // Another coordinator may succeed meanwhile.
          nextTry = .now + Self.pause
        }
      }
      Thread.sleep(forTimeInterval: Self.interval)
      owner = view.look()
      if owner != nil { relay.pass(to: target(of: owner)) }
    }
    return nil
  }

  /// Where to pass connections on to. A claim of an earlier process on this host may still be in the ledger.
  private func target(of owner: LedgerOwner?) -> RelayTarget? {
    owner?.target.flatMap { $0.place == entrance.place ? nil : $0 }
  }

  /// Logs the reason why this coordinator could not use the store, unless it was the last one, so that it is known before
  /// the coordinator is needed.
  private func checkStore() {
    guard let store = configuration.store else { return }
    // A store that does not answer must not delay a takeover.
    BlockingThread.start(named: "store-check") { [self] in
      var problem: String?
      do { try StoreRecord.assure(store, of: configuration.data) } catch { problem = "\(error)" }
      let last = storeProblem.withLock { last in
        defer { last = problem }
        return last
      }
      guard problem != last else { return }
      if let problem {
        log.error("this coordinator cannot take over the ledger at present: \(problem)")
      } else {
        log.info("this coordinator can use the store again")
      }
    }
  }

  /// Claims the ledger. Returns `nil` if another coordinator owns it.
  private func claim(_ exchange: TrustExchange?) throws -> Coordinator? {
    do {
      return try Coordinator(configuration, entrance: entrance, exchange: exchange, log: log)
    } catch let error as StorageError where error.code == .owned {
      return nil
    }
  }
}

/// Watches the owner of a ledger, and logs each change once.
private struct OwnerView {
  private let ledger: ServerAddress
  private let log: Log
  private var connection: Connection?
  private var last: LedgerOwner?
  private var problem: String?
  private var failedTakeover: String?

  init(ledger: ServerAddress, log: Log) {
    (self.ledger, self.log) = (ledger, log)
  }

  /// The owner now; `nil` if the ledger cannot be read.
  mutating func look() -> LedgerOwner? {
    do {
      let connection = try open()
      let owner = try LedgerOwner.read(connection)
      problem = nil
      note(owner)
      return owner
    } catch {
      connection = nil
      report("cannot read the owner of the ledger: \(error)")
      return nil
    }
  }

  /// Logs the reason why a takeover failed, unless it was the last one.
  mutating func report(failedTakeover reason: String) {
    if reason != failedTakeover { log.error("cannot take over the ledger: \(reason)") }
    failedTakeover = reason
  }

  /// Logs a problem, unless it was the last one.
  mutating func report(_ problem: String) {
    if problem != self.problem { log.error(problem) }
    self.problem = problem
  }

  private mutating func open() throws -> Connection {
    if let connection, !connection.isBroken { return connection }
    let new = try Connection(to: ledger, patience: PostgreSQLLedgerDatabase.patience)
    connection = new
    return new
  }

  private mutating func note(_ owner: LedgerOwner) {
    defer { last = owner }
    guard owner != last, !owner.isOver else { return }
    if let place = owner.entrance?.place {
      log.info("another coordinator owns the ledger: passing connections on to \(place)")
    } else {
      log.error(
        "cannot pass connections on: the coordinator that owns the ledger runs without "
          + "--peer-address")
    }
  }
}
