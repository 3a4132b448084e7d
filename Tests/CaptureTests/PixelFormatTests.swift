import Capture
import Support
import Testing

@Suite(.mayBlock) struct PixelFormatTests {
  @Test(
    arguments: [
      (0x3231_564E, .raw(.nv12)), (0x5659_5559, .raw(.yuyv422)), (0x4750_4A4D, .jpeg),
      (0x3436_3248, .h264), (0x3432_5258, .raw(.bgr0)), (0x3132_4142, nil),
    ] as [(UInt32, CapturedVideoFormat.Coding?)])
  func `a pixel format has the coding of its four characters`(
    number: UInt32, coding: CapturedVideoFormat.Coding?
  ) {
    #expect(PixelFormat(rawValue: number).coding == coding)
  }

  @Test(arguments: [(0x5659_5559, "YUYV"), (0x8000_0001, "0x80000001")] as [(UInt32, String)])
  func `a pixel format is described by its characters if they can be printed`(
    number: UInt32, text: String
  ) {
    #expect(PixelFormat(rawValue: number).description == text)
  }

  @Test(
    arguments: [
      (.nv12, 5, 3, 25), (.yuv420p, 4, 4, 24), (.yuyv422, 3, 2, 16), (.nv16, 4, 2, 16),
      (.yuv422p, 4, 2, 16), (.p010le, 2, 2, 12), (.rgb24, 3, 2, 18), (.bgr0, 1, 1, 4),
      (.gray, 3, 3, 9),
    ] as [(RawLayout, Int, Int, Int)])
  func `a picture has the bytes of all planes`(
    layout: RawLayout, width: Int, height: Int, size: Int
  ) {
    #expect(
      layout.size(bytesPerLine: layout.bytesPerLine(width: width), height: height) == size)
  }

  @Test(
    arguments: [
      // The coding, the color space, the encoding, the quantization.
      (.raw(.yuyv422), 3, 0, 0, .limited, .bt709), (.raw(.yuyv422), 8, 0, 0, .limited, .bt601),
      (.raw(.yuyv422), 8, 2, 1, .full, .bt709), (.raw(.rgb24), 8, 0, 0, .full, .bt601),
      (.raw(.rgb24), 8, 0, 2, .limited, .bt601), (.raw(.nv12), 0, 0, 0, .limited, .unknown),
      (.raw(.nv12), 7, 0, 0, .full, .bt601), (.jpeg, 3, 2, 2, .full, .bt601),
      (.raw(.gray), 8, 0, 0, .full, .bt601),
      (.raw(.p010le), 10, 0, 0, .limited, .bt2020), (.raw(.nv12), 3, 99, 99, .limited, .unknown),
    ]
      as [(
        CapturedVideoFormat.Coding, UInt32, UInt32, UInt32, CapturedVideoFormat.Range,
        CapturedVideoFormat.Matrix
      )])
  func `the range and the matrix are those that the driver states or implies`(
    coding: CapturedVideoFormat.Coding, space: UInt32, encoding: UInt32, quantization: UInt32,
    range: CapturedVideoFormat.Range, matrix: CapturedVideoFormat.Matrix
  ) {
    let color = ColorDescription(
      coding, space: space, encoding: encoding, quantization: quantization)
    #expect(color.range == range)
    #expect(color.matrix == matrix)
  }

  @Test(
    arguments: [
      (1, 480, .progressive), (4, 480, .bottomFirst), (4, 576, .topFirst), (4, 1080, .topFirst),
      (8, 480, .topFirst), (9, 576, .bottomFirst), (7, 480, nil), (2, 240, nil), (5, 480, nil),
    ] as [(UInt32, Int, CapturedVideoFormat.FieldOrder?)])
  func `the order of fields follows from the driver or the standard`(
    field: UInt32, height: Int, order: CapturedVideoFormat.FieldOrder?
  ) {
    #expect(VideoField(rawValue: field).order(height: height) == order)
  }
}
