#pragma once

#include <sys/epoll.h>
#include <sys/eventfd.h>

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
