/// A linear map of three numbers to three.
struct Matrix3: Hashable {
  var rows: [[Double]]

  static func * (_ map: Matrix3, _ vector: [Double]) -> [Double] {
    map.rows.map { $0[0] * vector[0] + $0[1] * vector[1] + $0[2] * vector[2] }
  }

  /// The map that applies the right one first, then the left one.
  static func * (_ left: Matrix3, _ right: Matrix3) -> Matrix3 {
    Matrix3(
      rows: left.rows.map { row in
        (0..<3).map { column in
          row[0] * right.rows[0][column] + row[1] * right.rows[1][column]
            + row[2] * right.rows[2][column]
        }
      })
  }

  static func diagonal(_ numbers: [Double]) -> Matrix3 {
    Matrix3(rows: [[numbers[0], 0, 0], [0, numbers[1], 0], [0, 0, numbers[2]]])
  }

  /// The inverse of an invertible map.
  var inverted: Matrix3 {
    func minor(_ row: Int, _ column: Int) -> Double {
      let (r, c) = ([(row + 1) % 3, (row + 2) % 3], [(column + 1) % 3, (column + 2) % 3])
      return rows[r[0]][c[0]] * rows[r[1]][c[1]] - rows[r[0]][c[1]] * rows[r[1]][c[0]]
    }
    let determinant =
      rows[0][0] * minor(0, 0) + rows[0][1] * minor(0, 1) + rows[0][2] * minor(0, 2)
    return Matrix3(
      rows: (0..<3).map { row in (0..<3).map { minor($0, row) / determinant } })
  }
}
