/// A finished file that the coordinator passes to a client of the same user on the same host, which then copies it.
public enum PassedFile {
  /// The request header with the name of the socket on which the client takes the file (`FilePassage` in `Processes`). If
  /// the file was passed, the response has no content.
  public static let headerName = "Sheaf-File-Socket"
}
