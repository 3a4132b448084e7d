#include "sheaf_video.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <string.h>
#include <sys/ioctl.h>

/* All requests in one table, so that the sandbox allows each one that is used. */
enum request {
  QUERYCAP, G_INPUT, ENUMINPUT, QUERY_DV_TIMINGS, S_DV_TIMINGS, G_STD, ENUM_FMT, ENUM_FRAMESIZES,
  ENUM_FRAMEINTERVALS, G_FMT, S_FMT, G_PARM, S_PARM, REQBUFS, QUERYBUF, QBUF, DQBUF, STREAMON,
  STREAMOFF, SUBSCRIBE_EVENT, DQEVENT, REQUESTS
};

static const unsigned long numbers[REQUESTS] = {
  [QUERYCAP] = VIDIOC_QUERYCAP,
  [G_INPUT] = VIDIOC_G_INPUT,
  [ENUMINPUT] = VIDIOC_ENUMINPUT,
  [QUERY_DV_TIMINGS] = VIDIOC_QUERY_DV_TIMINGS,
  [S_DV_TIMINGS] = VIDIOC_S_DV_TIMINGS,
  [G_STD] = VIDIOC_G_STD,
  [ENUM_FMT] = VIDIOC_ENUM_FMT,
  [ENUM_FRAMESIZES] = VIDIOC_ENUM_FRAMESIZES,
  [ENUM_FRAMEINTERVALS] = VIDIOC_ENUM_FRAMEINTERVALS,
  [G_FMT] = VIDIOC_G_FMT,
  [S_FMT] = VIDIOC_S_FMT,
  [G_PARM] = VIDIOC_G_PARM,
  [S_PARM] = VIDIOC_S_PARM,
  [REQBUFS] = VIDIOC_REQBUFS,
  [QUERYBUF] = VIDIOC_QUERYBUF,
  [QBUF] = VIDIOC_QBUF,
  [DQBUF] = VIDIOC_DQBUF,
  [STREAMON] = VIDIOC_STREAMON,
  [STREAMOFF] = VIDIOC_STREAMOFF,
  [SUBSCRIBE_EVENT] = VIDIOC_SUBSCRIBE_EVENT,
  [DQEVENT] = VIDIOC_DQEVENT,
};

uint64_t sheaf_video_request(size_t index) { return index < REQUESTS ? numbers[index] : 0; }

static int call(int device, enum request request, void *argument) {
  int status;
  do status = ioctl(device, numbers[request], argument);
  while (status < 0 && errno == EINTR);
  return status;
}

static uint32_t type(bool planar) {
  return planar ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE;
}

int sheaf_video_query(int device, struct sheaf_video_abilities *abilities) {
  struct v4l2_capability capability = {0};
  if (call(device, QUERYCAP, &capability) < 0) return -1;
  uint32_t flags = capability.capabilities & V4L2_CAP_DEVICE_CAPS ? capability.device_caps
                                                                  : capability.capabilities;
  abilities->captures = flags & V4L2_CAP_VIDEO_CAPTURE;
  abilities->captures_planar = flags & V4L2_CAP_VIDEO_CAPTURE_MPLANE;
  abilities->streams = flags & V4L2_CAP_STREAMING;
  return 0;
}

int sheaf_video_query_input(int device, struct sheaf_video_input *result) {
  int index = 0;
  if (call(device, G_INPUT, &index) < 0) return -1;
  struct v4l2_input input = {.index = (uint32_t)index};
  if (call(device, ENUMINPUT, &input) < 0) return -1;
  result->has_no_power = input.status & V4L2_IN_ST_NO_POWER;
  result->has_no_signal = input.status & V4L2_IN_ST_NO_SIGNAL;
  result->has_no_lock = input.status & (V4L2_IN_ST_NO_H_LOCK | V4L2_IN_ST_NO_V_LOCK | V4L2_IN_ST_NO_SYNC);
  result->has_timings = input.capabilities & V4L2_IN_CAP_DV_TIMINGS;
  return 0;
}

int sheaf_video_adopt_timings(int device, struct sheaf_video_timings *result) {
  struct v4l2_dv_timings timings = {0};
  if (call(device, QUERY_DV_TIMINGS, &timings) < 0) return -1;
  if (call(device, S_DV_TIMINGS, &timings) < 0) return -1;
  if (timings.type != V4L2_DV_BT_656_1120) {
    errno = ERANGE;
    return -1;
  }
  const struct v4l2_bt_timings *bt = &timings.bt;
  result->pixel_clock = bt->pixelclock;
  if (bt->flags & V4L2_DV_FL_REDUCED_FPS) result->pixel_clock = bt->pixelclock / 1001 * 1000;
  /* V4L2_DV_BT_FRAME_WIDTH and V4L2_DV_BT_FRAME_HEIGHT, in 64 bits. */
  uint64_t width = (uint64_t)bt->width + bt->hfrontporch + bt->hsync + bt->hbackporch;
  uint64_t height = (uint64_t)bt->height + bt->vfrontporch + bt->vsync + bt->vbackporch;
  if (bt->interlaced) height += (uint64_t)bt->il_vfrontporch + bt->il_vsync + bt->il_vbackporch;
  result->frame_pixels = width * height;
  return 0;
}

int sheaf_video_get_standard(int device, bool *has_525_lines) {
  v4l2_std_id standard = 0;
  if (call(device, G_STD, &standard) < 0) return -1;
  *has_525_lines = standard & V4L2_STD_525_60;
  return 0;
}

int sheaf_video_list_format(int device, bool planar, uint32_t index, uint32_t *pixel_format) {
  struct v4l2_fmtdesc description = {.index = index, .type = type(planar)};
  if (call(device, ENUM_FMT, &description) < 0) return -1;
  *pixel_format = description.pixelformat;
  return 0;
}

int sheaf_video_list_size(
  int device, uint32_t pixel_format, uint32_t index, struct sheaf_video_sizes *sizes) {
  struct v4l2_frmsizeenum found = {.index = index, .pixel_format = pixel_format};
  if (call(device, ENUM_FRAMESIZES, &found) < 0) return -1;
  if (found.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
    uint32_t width = found.discrete.width, height = found.discrete.height;
    *sizes = (struct sheaf_video_sizes){width, width, 1, height, height, 1};
  } else {
    const struct v4l2_frmsize_stepwise *range = &found.stepwise;
    *sizes = (struct sheaf_video_sizes){range->min_width,  range->max_width,  range->step_width,
                                        range->min_height, range->max_height, range->step_height};
  }
  return 0;
}

int sheaf_video_list_interval(
  int device, uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t index,
  struct sheaf_video_intervals *intervals) {
  struct v4l2_frmivalenum found = {
    .index = index, .pixel_format = pixel_format, .width = width, .height = height};
  if (call(device, ENUM_FRAMEINTERVALS, &found) < 0) return -1;
  bool is_discrete = found.type == V4L2_FRMIVAL_TYPE_DISCRETE;
  struct v4l2_fract least = is_discrete ? found.discrete : found.stepwise.min;
  struct v4l2_fract most = is_discrete ? found.discrete : found.stepwise.max;
  *intervals = (struct sheaf_video_intervals){
    least.numerator, least.denominator, most.numerator, most.denominator};
  return 0;
}

static void read_format(const struct v4l2_format *found, bool planar, struct sheaf_video_format *format) {
  if (planar) {
    const struct v4l2_pix_format_mplane *pixels = &found->fmt.pix_mp;
    *format = (struct sheaf_video_format){
      .pixel_format = pixels->pixelformat,
      .width = pixels->width,
      .height = pixels->height,
      .field = pixels->field,
      .bytes_per_line = pixels->plane_fmt[0].bytesperline,
      .size = pixels->plane_fmt[0].sizeimage,
      .color_space = pixels->colorspace,
      .encoding = pixels->ycbcr_enc,
      .quantization = pixels->quantization,
      .planes = pixels->num_planes,
    };
  } else {
    const struct v4l2_pix_format *pixels = &found->fmt.pix;
    *format = (struct sheaf_video_format){
      .pixel_format = pixels->pixelformat,
      .width = pixels->width,
      .height = pixels->height,
      .field = pixels->field,
      .bytes_per_line = pixels->bytesperline,
      .size = pixels->sizeimage,
      .color_space = pixels->colorspace,
      .encoding = pixels->ycbcr_enc,
      .quantization = pixels->quantization,
      .planes = 1,
    };
    /* Old drivers leave the fields after `priv` undefined unless it has this value. */
    if (pixels->priv != V4L2_PIX_FMT_PRIV_MAGIC) format->encoding = format->quantization = 0;
  }
}

int sheaf_video_get_format(int device, bool planar, struct sheaf_video_format *format) {
  struct v4l2_format found = {.type = type(planar)};
  if (!planar) found.fmt.pix.priv = V4L2_PIX_FMT_PRIV_MAGIC;
  if (call(device, G_FMT, &found) < 0) return -1;
  read_format(&found, planar, format);
  return 0;
}

int sheaf_video_set_format(int device, bool planar, struct sheaf_video_format *format) {
  struct v4l2_format wanted = {.type = type(planar)};
  if (planar) {
    wanted.fmt.pix_mp.pixelformat = format->pixel_format;
    wanted.fmt.pix_mp.width = format->width;
    wanted.fmt.pix_mp.height = format->height;
    wanted.fmt.pix_mp.field = format->field;
    wanted.fmt.pix_mp.num_planes = 1;
  } else {
    wanted.fmt.pix.pixelformat = format->pixel_format;
    wanted.fmt.pix.width = format->width;
    wanted.fmt.pix.height = format->height;
    wanted.fmt.pix.field = format->field;
    wanted.fmt.pix.priv = V4L2_PIX_FMT_PRIV_MAGIC;
  }
  if (call(device, S_FMT, &wanted) < 0) return -1;
  read_format(&wanted, planar, format);
  return 0;
}

static int read_interval(const struct v4l2_streamparm *found, uint32_t *numerator, uint32_t *denominator) {
  struct v4l2_fract interval = found->parm.capture.timeperframe;
  if (interval.numerator == 0 || interval.denominator == 0) {
    errno = ENOTTY;
    return -1;
  }
  *numerator = interval.numerator;
  *denominator = interval.denominator;
  return 0;
}

int sheaf_video_get_interval(int device, bool planar, uint32_t *numerator, uint32_t *denominator) {
  struct v4l2_streamparm found = {.type = type(planar)};
  if (call(device, G_PARM, &found) < 0) return -1;
  return read_interval(&found, numerator, denominator);
}

int sheaf_video_set_interval(int device, bool planar, uint32_t *numerator, uint32_t *denominator) {
  struct v4l2_streamparm wanted = {.type = type(planar)};
  wanted.parm.capture.timeperframe = (struct v4l2_fract){*numerator, *denominator};
  if (call(device, S_PARM, &wanted) < 0) return -1;
  return read_interval(&wanted, numerator, denominator);
}

int sheaf_video_request_buffers(int device, bool planar, uint32_t *count) {
  struct v4l2_requestbuffers wanted = {
    .count = *count, .type = type(planar), .memory = V4L2_MEMORY_MMAP};
  if (call(device, REQBUFS, &wanted) < 0) return -1;
  *count = wanted.count;
  return 0;
}

/* A buffer, and the description of the one plane that it has for multi-planar devices. */
struct buffer {
  struct v4l2_buffer buffer;
  struct v4l2_plane planes[VIDEO_MAX_PLANES];
};

static int call_for_buffer(int device, bool planar, enum request request, uint32_t index, struct buffer *result) {
  memset(result, 0, sizeof *result);
  result->buffer.index = index;
  result->buffer.type = type(planar);
  result->buffer.memory = V4L2_MEMORY_MMAP;
  if (planar) {
    result->buffer.m.planes = result->planes;
    result->buffer.length = request == QBUF ? 1 : VIDEO_MAX_PLANES;
  }
  if (call(device, request, &result->buffer) < 0) return -1;
  if (planar && result->buffer.length != 1) {
    errno = EPROTO;
    return -1;
  }
  return 0;
}

int sheaf_video_query_buffer(
  int device, bool planar, uint32_t index, size_t *length, int64_t *offset) {
  struct buffer found;
  if (call_for_buffer(device, planar, QUERYBUF, index, &found) < 0) return -1;
  *length = planar ? found.planes[0].length : found.buffer.length;
  *offset = planar ? found.planes[0].m.mem_offset : found.buffer.m.offset;
  return 0;
}

int sheaf_video_queue(int device, bool planar, uint32_t index) {
  struct buffer queued;
  return call_for_buffer(device, planar, QBUF, index, &queued);
}

int sheaf_video_dequeue(int device, bool planar, struct sheaf_video_picture *picture) {
  struct buffer found;
  if (call_for_buffer(device, planar, DQBUF, 0, &found) < 0) return -1;
  const struct v4l2_buffer *buffer = &found.buffer;
  *picture = (struct sheaf_video_picture){
    .index = buffer->index,
    .begin = planar ? found.planes[0].data_offset : 0,
    .end = planar ? found.planes[0].bytesused : buffer->bytesused,
    .sequence = buffer->sequence,
    .is_damaged = buffer->flags & V4L2_BUF_FLAG_ERROR,
    .is_monotonic = (buffer->flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC,
    .seconds = buffer->timestamp.tv_sec,
    .microseconds = buffer->timestamp.tv_usec,
  };
  return 0;
}

int sheaf_video_start(int device, bool planar) {
  int wanted = (int)type(planar);
  return call(device, STREAMON, &wanted);
}

int sheaf_video_stop(int device, bool planar) {
  int wanted = (int)type(planar);
  return call(device, STREAMOFF, &wanted);
}

int sheaf_video_watch_source(int device) {
  int input = 0;
  if (call(device, G_INPUT, &input) < 0) return -1;
  struct v4l2_event_subscription wanted = {
    .type = V4L2_EVENT_SOURCE_CHANGE, .id = (uint32_t)input};
  return call(device, SUBSCRIBE_EVENT, &wanted);
}

int sheaf_video_take_event(int device, bool *has_changed) {
  struct v4l2_event event = {0};
  if (call(device, DQEVENT, &event) < 0) return -1;
  *has_changed =
    event.type == V4L2_EVENT_SOURCE_CHANGE && event.u.src_change.changes & V4L2_EVENT_SRC_CH_RESOLUTION;
  return 0;
}
