#pragma once

#include <stddef.h>

/* A file of the status page, embedded from coordinator/StatusPage/Files. */
typedef struct {
  const char *name;
  const unsigned char *bytes;
  size_t count;
} sheaf_page_file;

/* The embedded file with an index, or NULL after the last one. */
const sheaf_page_file *sheaf_page_file_at(size_t index);
