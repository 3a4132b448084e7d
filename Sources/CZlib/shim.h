#pragma once

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/* Writes bytes in the gzip format (RFC 1952), and returns the number of bytes written, or 0 if they do not fit or there
   is no memory. zlib keeps the address of its z_stream, so the whole stream is written in one call. */
static inline size_t sheaf_zlib_gzip(const void *bytes, size_t count, void *output, size_t room) {
  const int largest_window = 15, as_gzip = 16, default_memory = 8;
  z_stream stream = {0};
  if (count > UINT32_MAX || room > UINT32_MAX) return 0;
  if (deflateInit2(
          &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, largest_window + as_gzip, default_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    return 0;
  stream.next_in = (Bytef *)bytes;
  stream.avail_in = (uInt)count;
  stream.next_out = (Bytef *)output;
  stream.avail_out = (uInt)room;
  int result = deflate(&stream, Z_FINISH);
  size_t written = stream.total_out;
  deflateEnd(&stream);
  return result == Z_STREAM_END ? written : 0;
}
