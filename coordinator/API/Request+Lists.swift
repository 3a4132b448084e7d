import FarmAPI
import HTTP
import Scheduling

extension Request {
  /// The index of the segment, or the number of parts, after which the requested part of a list begins.
  var after: Int? {
    get throws {
      guard let text = self.query["after"] else { return nil }
      guard let number = Int(text), (0...Int(Int32.max)).contains(number) else {
        throw HTTPError(
          .badRequest, type: ProblemType.malformedRequest.rawValue,
          detail: "after '\(text)' must be 0 to \(Int32.max)")
      }
      return number
    }
  }

  /// The maximum number of elements in a list.
  var limit: Int {
    get throws { try limit(atMost: 1000) }
  }

  /// The maximum number of elements in a list that never has more than `count`.
  func limit(atMost count: Int) throws -> Int {
    guard let text = self.query["limit"] else { return count }
    guard let number = Int(text), (1...count).contains(number) else {
      throw HTTPError(
        .badRequest, type: ProblemType.malformedRequest.rawValue,
        detail: "limit '\(text)' is not a number from 1 to \(count)")
    }
    return number
  }

  /// The value of a query parameter that is true or false; false if it is not given.
  func flag(_ name: String) throws -> Bool {
    switch self.query[name] {
    case nil, "false": return false
    case "true": return true
    case let text?:
      throw HTTPError(
        .badRequest, type: ProblemType.malformedRequest.rawValue,
        detail: "\(name) '\(text)' must be true or false")
    }
  }

  /// The index of the segment that the path names.
  ///
  /// - Throws: ``FarmError`` if no segment can have it.
  var segment: Int {
    get throws {
      let text = try parameter("index")
      guard let index = Int(text), (0...Int(Int32.max)).contains(index) else {
        throw FarmError.notFound("segment", text)
      }
      return index
    }
  }

  /// The job that the path names.
  var job: JobID {
    get throws { JobID(rawValue: try parameter("id")) }
  }
}
