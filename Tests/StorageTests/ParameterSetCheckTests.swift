import Foundation
import Support
import Testing
import Timeline
import sheaf_coordinator

@Suite(.mayBlock) struct ParameterSetCheckTests {
  @Test func `parameter sets must hold what their codec needs, and no slices`() {
    let sequence: [UInt8] = [0, 0, 0, 1, 0x67, 0x64]
    let picture: [UInt8] = [0, 0, 1, 0x68, 0xEB]
    let slice: [UInt8] = [0, 0, 1, 0x65, 0x88]
    #expect(ParameterSetCheck.areValid(Data(sequence + picture)))
    #expect(!ParameterSetCheck.areValid(Data(sequence)))
    #expect(!ParameterSetCheck.areValid(Data(sequence + picture + slice)))
    #expect(!ParameterSetCheck.areValid(Data()))
    let video: [UInt8] = [0, 0, 0, 1, 0x40, 1]
    #expect(!ParameterSetCheck.areValid(Data(sequence + picture), of: .hevc))
    let others: [UInt8] = [0, 0, 0, 1, 0x42, 1, 0, 0, 0, 1, 0x44, 1]
    let information: [UInt8] = [0, 0, 0, 1, 0x4E, 1]
    #expect(ParameterSetCheck.areValid(Data(video + others), of: .hevc))
    #expect(ParameterSetCheck.areValid(Data(video + others + information), of: .hevc))
    #expect(!ParameterSetCheck.areValid(Data(video + information), of: .hevc))
    #expect(ParameterSetCheck.areValid(Data([0x0A, 11]), of: .av1))
    #expect(!ParameterSetCheck.areValid(Data(), of: .av1))
    #expect(ParameterSetCheck.areValid(Data(), of: .vp9))
  }
}
