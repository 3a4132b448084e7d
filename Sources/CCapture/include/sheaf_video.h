#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* V4L2. Functions take the descriptor of a video device and return 0, or -1 with errno. `planar` selects the interface
   for multi-planar devices, of which only pictures in one block of memory are supported. Calls are repeated if a signal
   interrupts them. */

/* The request with this index, from 0, of those that these functions make; 0 if there are no more. */
uint64_t sheaf_video_request(size_t index);

/* What a device can do (VIDIOC_QUERYCAP). */
struct sheaf_video_abilities {
  bool captures;
  bool captures_planar;
  bool streams;
};

int sheaf_video_query(int device, struct sheaf_video_abilities *abilities);

/* The selected input (VIDIOC_G_INPUT, VIDIOC_ENUMINPUT). */
struct sheaf_video_input {
  bool has_no_power;
  bool has_no_signal;
  bool has_no_lock;
  /* Whether the input takes digital signals whose timings can be detected, as HDMI. */
  bool has_timings;
};

int sheaf_video_query_input(int device, struct sheaf_video_input *input);

/* The timings of a digital signal. */
struct sheaf_video_timings {
  /* In Hz. */
  uint64_t pixel_clock;
  /* The pixels of a frame with its blanking. */
  uint64_t frame_pixels;
};

/* Detects the timings of the signal and applies them (VIDIOC_QUERY_DV_TIMINGS, VIDIOC_S_DV_TIMINGS). Fails with ENOLINK
   if there is no signal, with ENOLCK if it is unstable, and with ERANGE if the device cannot receive it. */
int sheaf_video_adopt_timings(int device, struct sheaf_video_timings *timings);

/* Whether the analog standard has 525 lines, as NTSC, and not 625 (VIDIOC_G_STD). */
int sheaf_video_get_standard(int device, bool *has_525_lines);

/* The pixel format with an index (VIDIOC_ENUM_FMT). Fails with EINVAL if there are no more. */
int sheaf_video_list_format(int device, bool planar, uint32_t index, uint32_t *pixel_format);

/* One size, if the minimum and the maximum are equal, or a range of sizes. */
struct sheaf_video_sizes {
  uint32_t least_width, most_width, width_step;
  uint32_t least_height, most_height, height_step;
};

/* The sizes with an index (VIDIOC_ENUM_FRAMESIZES). Fails with EINVAL if there are no more. */
int sheaf_video_list_size(
  int device, uint32_t pixel_format, uint32_t index, struct sheaf_video_sizes *sizes);

/* One interval between frames, if the two are equal, or a range of intervals. In seconds. */
struct sheaf_video_intervals {
  uint32_t least_numerator, least_denominator;
  uint32_t most_numerator, most_denominator;
};

/* The intervals with an index (VIDIOC_ENUM_FRAMEINTERVALS). Fails with EINVAL if there are no more. */
int sheaf_video_list_interval(
  int device, uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t index,
  struct sheaf_video_intervals *intervals);

/* A format (struct v4l2_pix_format), with the constants of <linux/videodev2.h>. */
struct sheaf_video_format {
  uint32_t pixel_format;
  uint32_t width, height;
  uint32_t field;
  uint32_t bytes_per_line;
  uint32_t size;
  uint32_t color_space;
  uint32_t encoding;
  uint32_t quantization;
  /* The number of blocks of memory that a picture takes. */
  uint32_t planes;
};

int sheaf_video_get_format(int device, bool planar, struct sheaf_video_format *format);

/* Selects a pixel format, size and field order, and reports what the driver made of it (VIDIOC_S_FMT). */
int sheaf_video_set_format(int device, bool planar, struct sheaf_video_format *format);

/* The interval between frames in seconds (VIDIOC_G_PARM). Fails with ENOTTY if the device does not know it. */
int sheaf_video_get_interval(int device, bool planar, uint32_t *numerator, uint32_t *denominator);

/* Selects the interval between frames, and reports what the driver made of it (VIDIOC_S_PARM). */
int sheaf_video_set_interval(int device, bool planar, uint32_t *numerator, uint32_t *denominator);

/* Allocates buffers to map, and reports how many there are (VIDIOC_REQBUFS). */
int sheaf_video_request_buffers(int device, bool planar, uint32_t *count);

/* Where a buffer is to be mapped from (VIDIOC_QUERYBUF). */
int sheaf_video_query_buffer(
  int device, bool planar, uint32_t index, size_t *length, int64_t *offset);

/* Gives a buffer to the driver to fill (VIDIOC_QBUF). */
int sheaf_video_queue(int device, bool planar, uint32_t index);

/* A filled buffer (struct v4l2_buffer). */
struct sheaf_video_picture {
  uint32_t index;
  /* The bytes that are used, as offsets in the buffer. */
  uint32_t begin, end;
  uint32_t sequence;
  bool is_damaged;
  /* Whether the time is one of CLOCK_MONOTONIC. */
  bool is_monotonic;
  int64_t seconds, microseconds;
};

/* Takes a filled buffer (VIDIOC_DQBUF). If the descriptor does not wait, fails with EAGAIN if there is none. */
int sheaf_video_dequeue(int device, bool planar, struct sheaf_video_picture *picture);

int sheaf_video_start(int device, bool planar);
int sheaf_video_stop(int device, bool planar);

/* Asks for events that report a change of the signal (VIDIOC_SUBSCRIBE_EVENT). */
int sheaf_video_watch_source(int device);

/* Takes an event, and reports whether the signal changed (VIDIOC_DQEVENT). If the descriptor does not wait, fails with
   ENOENT if there is none. */
int sheaf_video_take_event(int device, bool *has_changed);
