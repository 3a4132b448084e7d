import Synchronization

/// A thread that works on items while another thread makes the next ones.
///
/// The work begins at once. It asks for one item after the other. Its value is the result of ``finish()``.
public final class ItemThread<Item: Sendable, Value: Sendable> {
  private enum Step: Sendable {
    case item(Item)
    case end
  }

  /// The items ended without a ``Step/end``.
  private struct Stop: Error {}

  /// The work until the thread takes it. So everything that it captures is freed before ``finish()`` or ``stop()``
  /// returns.
  private final class Held: Sendable {
    typealias Work = @Sendable (_ next: () throws -> Item?) throws -> Value

    private let work: Mutex<Work?>

    init(_ work: @escaping Work) { self.work = Mutex(work) }

    func take() -> Work? { work.withLock { $0.take() } }
  }

  private let steps: BoundedQueue<Step>
  private let results = BoundedQueue<Result<Value, any Error>>(capacity: 1)
  private var result: Result<Value, any Error>?

  /// Starts the thread. Returns `nil` if the system does not permit it; `errno` then says why.
  ///
  /// - Parameters:
  ///   - name: the thread's name, of which the system shows the first 15 bytes.
  ///   - room: the number of items that wait while one is worked on.
  ///   - work: the work. `next` waits for the next item and returns `nil` after the last one; it throws if the thread
  ///     is stopped first.
  public init?(
    named name: String, room: Int,
    _ work: @escaping @Sendable (_ next: () throws -> Item?) throws -> Value
  ) {
    steps = BoundedQueue(capacity: room)
    let held = Held(work)
    let isStarted = BlockingThread.startNow(named: name) { [steps, results] in
      let result = Result {
        guard let work = held.take() else { throw Stop() }
        return try work {
          guard let step = steps.take() else { throw Stop() }
          guard case .item(let item) = step else { return nil }
          return item
        }
      }
      steps.close()
      _ = results.put(result)
    }
    guard isStarted else {
      result = .failure(Stop())
      return nil
    }
  }

  deinit {
    // The work uses nothing after this.
    stop()
  }

  /// Adds an item, as soon as there is room.
  ///
  /// - Throws: the error that ended the work.
  public func add(_ item: Item) throws {
    guard steps.put(.item(item)) else {
      _ = try outcome().get()
      preconditionFailure("the work has ended, or does not take all items")
    }
  }

  /// Lets the work end after the items that were added, and waits for it. Nothing can be added afterwards.
  ///
  /// - Throws: the error that ended the work.
  public func finish() throws -> Value {
    _ = steps.put(.end)
    return try outcome().get()
  }

  /// Ends the work after the present item, and waits for it. Returns the error that had ended it before.
  @discardableResult
  public func stop() -> (any Error)? {
    steps.close()
    guard case .failure(let error) = outcome(), !(error is Stop) else { return nil }
    return error
  }

  /// The work's result, once it has ended.
  private func outcome() -> Result<Value, any Error> {
    if let result { return result }
    let result = results.take() ?? .failure(Stop())
    self.result = result
    return result
  }
}
