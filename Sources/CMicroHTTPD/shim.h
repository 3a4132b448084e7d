#pragma once

#include <stdint.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <microhttpd.h>

/* Swift cannot call functions with variable arguments. */

static inline struct MHD_Daemon *sheaf_mhd_start(
    unsigned int flags,
    MHD_AccessHandlerCallback handler, void *handler_context,
    struct MHD_OptionItem *options)
{
  return MHD_start_daemon(
      flags, 0, NULL, NULL, handler, handler_context,
      MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static inline const struct sockaddr *sheaf_mhd_client_address(struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

static inline int sheaf_mhd_socket(struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/* The size in bytes of the head of the request on a connection; -1 until all of it has arrived. */
static inline intptr_t sheaf_mhd_head_size(struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? (intptr_t) info->header_size : -1;
}

/* Whether the client of a TLS connection presented a certificate that is signed by a trusted authority. */
static inline int sheaf_mhd_has_trusted_certificate(struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  if (!info || !info->tls_session)
    return 0;
  gnutls_session_t session = (gnutls_session_t) info->tls_session;
  unsigned int count = 0;
  if (!gnutls_certificate_get_peers(session, &count) || count == 0)
    return 0;
  gnutls_typed_vdata_st purpose = {
    .type = GNUTLS_DT_KEY_PURPOSE_OID, .data = (unsigned char *) GNUTLS_KP_TLS_WWW_CLIENT, .size = 0 };
  unsigned int status = 0;
  return gnutls_certificate_verify_peers(session, &purpose, 1, &status) == 0 && status == 0;
}

/*
 * The number of bytes that a TCP socket has received, and of sent bytes that were acknowledged. glibc's struct tcp_info
 * lacks these members; the kernel's has them at these offsets since Linux 4.1 (include/uapi/linux/tcp.h).
 */
static inline int sheaf_tcp_progress(int socket, uint64_t *received, uint64_t *acknowledged)
{
  unsigned char information[256];
  socklen_t length = sizeof information;
  /* 11 is TCP_INFO. */
  if (getsockopt(socket, IPPROTO_TCP, 11, information, &length) != 0 || length < 136)
    return -1;
  memcpy(acknowledged, information + 120, sizeof *acknowledged);
  memcpy(received, information + 128, sizeof *received);
  return 0;
}

static inline int sheaf_mhd_has_opened(enum MHD_ConnectionNotificationCode code)
{
  return code == MHD_CONNECTION_NOTIFY_STARTED;
}
