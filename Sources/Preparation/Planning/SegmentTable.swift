import Crypto
import FarmAPI
import Foundation
import Planning
import Timeline

/// The facts about a plan's segment that the farm needs.
package struct PlannedSegment: Hashable, Sendable {
  /// The output frames.
  package var frames: Range<Int>
  /// An estimate of the work.
  package var cost: Int64
  /// The expected peak memory of the process that renders it, in bytes.
  package var peakMemory: Int
  /// The part of the plan's file with the segment's leased content.
  package var part: PlanPart
  /// The digest of everything that decides the chunk's bytes, except the worker; see `SegmentContent`.
  package var content: Digest
  /// The assets that a worker reads for it.
  package var assets: [Digest]
  /// How its frames are made; `nil` if an earlier version planned it.
  package var method: SegmentMethod?

  package init(
    frames: Range<Int>, cost: Int64, peakMemory: Int, part: PlanPart, content: Digest,
    assets: [Digest], method: SegmentMethod? = nil
  ) {
    self.frames = frames
    self.cost = cost
    self.peakMemory = peakMemory
    self.part = part
    self.content = content
    self.assets = assets
    self.method = method
  }
}

/// A plan's segments in fixed-length records, so that a long list can be read in batches, with the digests of their
/// assets in a file beside it.
package struct SegmentTable: Sendable {
  private static let recordLength = 11 * 8 + 2 * Digest.byteCount + othersLength
  /// The number of bytes of a record's frame counts, one for each kind of method.
  static let othersLength = 4 * SegmentMethod.Kind.allCases.count
  /// The number of segments, and of asset digests, that are read at once.
  private static let batch = (records: 1000, assets: 100_000)

  private let data: Data
  private let assets: Data

  package var count: Int { data.count / Self.recordLength }

  /// Maps a table and the file of its assets. Blocks.
  package init(_ path: String, assets: String) throws {
    data = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    self.assets = try Data(contentsOf: URL(fileURLWithPath: assets), options: .alwaysMapped)
  }

  /// Encodes a record.
  ///
  /// - Parameter first: the number of assets in the records before it.
  static func encode(_ record: PlannedSegment, assetsFrom first: Int64) -> Data {
    let numbers = [
      Int64(record.frames.lowerBound), Int64(record.frames.upperBound), record.cost,
      Int64(record.peakMemory), record.part.offset, Int64(record.part.length), first,
      Int64(record.assets.count),
    ]
    var bytes = Data(capacity: recordLength)
    for number in numbers {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    bytes += record.part.digest.bytes
    bytes += record.content.bytes
    let keyframe = record.method?.keyframe
    for number in [
      number(of: record.method), keyframe?.numerator ?? 0, keyframe?.denominator ?? 0,
    ] {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    for kind in SegmentMethod.Kind.allCases {
      let count = UInt32(clamping: record.method?.others[kind] ?? 0)
      withUnsafeBytes(of: count.littleEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  /// The number of a method in a record, from 1; 0 if the method is unknown.
  private static func number(of method: SegmentMethod?) -> Int64 {
    let place = method.flatMap { SegmentMethod.Kind.allCases.firstIndex(of: $0.kind) }
    return place.map { Int64($0) + 1 } ?? 0
  }

  /// Reads a batch of records, starting at `first`, that is small enough to be stored quickly.
  ///
  /// - Throws: ``JobError`` if a record is not valid.
  package func records(from first: Int) throws(JobError) -> [PlannedSegment] {
    var records: [PlannedSegment] = []
    var assets = 0
    for index in first..<count
    where records.count < Self.batch.records && assets < Self.batch.assets {
      let record = try record(index)
      assets += record.assets.count
      records.append(record)
    }
    return records
  }

  private func record(_ index: Int) throws(JobError) -> PlannedSegment {
    let start = data.startIndex + index * Self.recordLength
    func number(_ place: Int) -> Int64 {
      data[(start + place * 8)..<(start + place * 8 + 8)].reversed()
        .reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }
    let (first, end, cost, memory) = (number(0), number(1), number(2), number(3))
    let (offset, length) = (number(4), number(5))
    let digests = start + 8 * 8
    guard let part = Self.digest(in: data, at: digests),
      let content = Self.digest(in: data, at: digests + Digest.byteCount),
      let assets = assets(from: number(6), count: number(7)),
      0 <= first, first < end, 0 <= memory, 0 <= length, 0 <= offset
    else { throw .changedTable }
    let place = 8 + 2 * Digest.byteCount / 8
    var method = Self.method(
      number(place), keyframe: (number(place + 1), denominator: number(place + 2)))
    let others = data[(start + Self.recordLength - Self.othersLength)...]
    for (place, kind) in SegmentMethod.Kind.allCases.enumerated() {
      let count = others.dropFirst(4 * place).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      if count > 0 { method?.others[kind] = count }
    }
    if let method {
      let (own, others) = (Int(end - first), method.others.values.reduce(0, +))
      guard method.others[method.kind] == nil, others < own || others == 0 else {
        throw .changedTable
      }
    }
    return PlannedSegment(
      frames: Int(first)..<Int(end), cost: cost, peakMemory: Int(memory),
      part: PlanPart(offset: offset, length: Int(length), digest: part), content: content,
      assets: assets, method: method)
  }

  /// The method with a number and the time of a keyframe, if it has one; `nil` if no method has the number.
  private static func method(
    _ number: Int64, keyframe: (numerator: Int64, denominator: Int64)
  ) -> SegmentMethod? {
    let kinds = SegmentMethod.Kind.allCases
    guard (1...Int64(kinds.count)).contains(number) else { return nil }
    var method = SegmentMethod(kinds[Int(number) - 1])
    if keyframe.denominator > 0 {
      method.keyframe = try? RationalTime(keyframe.numerator, keyframe.denominator)
    }
    return method
  }

  private func assets(from first: Int64, count: Int64) -> [Digest]? {
    let total = Int64(assets.count / Digest.byteCount)
    guard 0 <= count, count <= total, 0 <= first, first <= total - count else { return nil }
    let found = (first..<first + count).compactMap { index in
      Self.digest(in: assets, at: assets.startIndex + Int(index) * Digest.byteCount)
    }
    return found.count == Int(count) ? found : nil
  }

  private static func digest(in data: Data, at start: Int) -> Digest? {
    Digest(bytes: [UInt8](data[start..<start + Digest.byteCount]))
  }
}

extension JobError {
  /// The error for a table that differs from what its process wrote. The job is planned again.
  package static var changedTable: JobError {
    JobError(
      .readFailed,
      "the plan's table of segments read back from the disk differs from what was written")
  }
}
