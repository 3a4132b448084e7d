import Testing
import sheaf

struct TableTests {
  @Test func `columns are as wide as their widest cell`() {
    var table = Table("ID", "NAME")
    table.add("1234", "a")
    table.add("5", "bc")
    #expect(table.lines == ["ID    NAME", "1234  a", "5     bc"])
  }
}
