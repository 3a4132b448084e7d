#pragma once

#include <errno.h>
#include <stdio.h>

#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/imgutils.h>
#include <libavutil/intreadwrite.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libavutil/samplefmt.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

// Macros that Swift cannot import.
static inline int sheaf_averror(int code) { return AVERROR(code); }
static const int sheaf_averror_eof = AVERROR_EOF;
static const int sheaf_averror_invaliddata = AVERROR_INVALIDDATA;
static const int sheaf_averror_external = AVERROR_EXTERNAL;
static const int sheaf_averror_decoder_not_found = AVERROR_DECODER_NOT_FOUND;
static const int64_t sheaf_nopts_value = AV_NOPTS_VALUE;
