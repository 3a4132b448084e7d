import CMicroHTTPD
import Foundation

extension RequestHead {
  /// Reads the head of the request that a connection has received.
  init(reading connection: OpaquePointer, method: Method, target: RequestTarget) {
    var headers = Headers()
    withUnsafeMutablePointer(to: &headers) { headers in
      _ = MHD_get_connection_values(
        connection, .HEADER_KIND,
        { context, _, name, value in
          guard let context, let name else { return .NO }
          context.assumingMemoryBound(to: Headers.self).pointee
            .add(String(cString: name), value.map { String(cString: $0) } ?? "")
          return .YES
        }, headers)
    }
    let peer = sheaf_mhd_client_address(connection).map { SocketAddress.host(of: $0) } ?? ""
    self.init(method: method, target: target, headers: headers, peer: peer)
  }
}
