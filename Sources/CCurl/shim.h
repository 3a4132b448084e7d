#pragma once

#include <curl/curl.h>

/* Swift cannot call functions with variable arguments. */

typedef size_t (*sheaf_curl_data_function)(char *bytes, size_t size, size_t count, void *context);
typedef int (*sheaf_curl_seek_function)(void *context, curl_off_t offset, int origin);
typedef int (*sheaf_curl_request_function)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);
typedef curl_socket_t (*sheaf_curl_socket_function)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);

static inline CURLcode sheaf_curl_set_number(CURL *handle, CURLoption option, long value)
{
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode sheaf_curl_set_size(CURL *handle, CURLoption option, curl_off_t value)
{
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode sheaf_curl_set_text(CURL *handle, CURLoption option, const char *value)
{
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode sheaf_curl_set_pointer(CURL *handle, CURLoption option, void *value)
{
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode sheaf_curl_set_data_function(
    CURL *handle, CURLoption option, sheaf_curl_data_function function)
{
  return curl_easy_setopt(handle, option, function);
}

static inline CURLcode sheaf_curl_set_seek_function(CURL *handle, sheaf_curl_seek_function function)
{
  return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, function);
}

static inline CURLcode sheaf_curl_set_request_function(
    CURL *handle, sheaf_curl_request_function function)
{
  return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
}

static inline CURLcode sheaf_curl_set_socket_function(
    CURL *handle, sheaf_curl_socket_function function)
{
  return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
}

static inline long sheaf_curl_number(CURL *handle, CURLINFO info)
{
  long value = 0;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

/* The fields of the server's own certificate, each as "NAME:VALUE"; NULL if they were not requested. */
static inline const struct curl_slist *sheaf_curl_certificate(CURL *handle)
{
  struct curl_certinfo *chain = NULL;
  if (curl_easy_getinfo(handle, CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == NULL) return NULL;
  return chain->num_of_certs > 0 ? chain->certinfo[0] : NULL;
}

static inline CURLMcode sheaf_curl_multi_set_number(CURLM *multi, CURLMoption option, long value)
{
  return curl_multi_setopt(multi, option, value);
}
