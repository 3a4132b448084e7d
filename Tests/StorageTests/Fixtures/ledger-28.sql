PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE plans (
  hash TEXT PRIMARY KEY,
  body BLOB NOT NULL
) STRICT;
INSERT INTO plans VALUES ('0be5abbb977bd5f0f920d79e56e851206c62d5e9721aa1a2460560d3585b9c3f', CAST('{"export":{"audio":{"bitRate":128000,"channels":2,"codec":"aac","sampleRate":48000},"fileType":"mp4","optimizeForNetworkUse":true,"preset":"highestQuality","video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}},"frameCount":25,"frameDuration":"1/25","renderSize":{"height":90,"width":160},"segments":[{"end":25,"first":0,"frameDuration":"1/25","renderSize":{"height":90,"width":160},"slices":[{"backgroundColor":{"blue":0,"green":0,"red":0},"end":25,"first":0,"layers":[{"crop":[],"frames":[{"count":25,"step":512,"time":0}],"opacity":[],"source":0,"transform":[]}]}],"sources":[{"asset":"1335c4e846dc426f793d8fca43f7769e5a3c309beb210be3f0395b53fb8158a8","isStillImage":false,"name":"https://media.example.com/c.mp4","stream":{"codec":"h264","colour":{},"fieldOrder":"progressive","frames":{"end":12800,"keyframes":[{"decodingTime":0,"hasLeadingFrames":false,"position":48,"time":0}],"runs":[512,24],"start":0},"nominalFrameRate":25,"orientation":{"isMirrored":false,"quarterTurns":0},"parameterSets":[1,66,192,11,255,225,0,24,103,66,192,11,218,10,55,228,192,68,0,0,3,0,4,0,0,3,0,200,60,80,170,128,1,0,4,104,206,15,200],"pixelAspectRatio":1,"pixelFormat":"yuv420p","size":{"height":90,"width":160},"streamIndex":0,"timeBase":"1/12800"}}],"video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}}]}' AS BLOB));
INSERT INTO plans VALUES ('a3e6051cc1ba8f72eeb768277dae79e637ad3169f0fa4815720f11f37ad5cfeb', CAST('{"export":{"audio":{"bitRate":128000,"channels":2,"codec":"aac","sampleRate":48000},"fileType":"mp4","optimizeForNetworkUse":true,"preset":"highestQuality","video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}},"frameCount":100,"frameDuration":"1/25","mix":{"inputs":[{"sampleCount":144000,"source":0,"sourceSample":0,"targetSample":0,"volume":[{"from":1,"timeRange":{"duration":1,"start":2},"to":0}]}],"sampleCount":192000,"settings":{"bitRate":128000,"channels":2,"codec":"aac","sampleRate":48000},"sources":[{"asset":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed","name":"a.mp4","start":0,"stream":{"channels":1,"codec":"aac","encoderDelay":1024,"end":144000,"layout":"mono","sampleRate":48000,"start":0,"streamIndex":1,"timeBase":"1/48000"}}]},"renderSize":{"height":90,"width":160},"segments":[{"end":25,"first":0,"frameDuration":"1/25","renderSize":{"height":90,"width":160},"slices":[{"backgroundColor":{"blue":0,"green":0,"red":0},"end":25,"first":0,"layers":[{"crop":[],"frames":[{"count":25,"step":512,"time":0}],"opacity":[],"source":0,"transform":[]}]}],"sources":[{"asset":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed","isStillImage":false,"name":"a.mp4","stream":{"codec":"h264","colour":{},"fieldOrder":"progressive","frames":{"end":12800,"keyframes":[{"decodingTime":0,"hasLeadingFrames":false,"position":260,"time":0}],"runs":[512,24],"start":0},"nominalFrameRate":25,"orientation":{"isMirrored":false,"quarterTurns":0},"parameterSets":[1,66,192,11,255,225,0,24,103,66,192,11,218,10,55,228,192,68,0,0,3,0,4,0,0,3,0,200,60,80,170,128,1,0,4,104,206,15,200],"pixelAspectRatio":1,"pixelFormat":"yuv420p","size":{"height":90,"width":160},"streamIndex":0,"timeBase":"1/12800"}}],"video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}},{"end":50,"first":25,"frameDuration":"1/25","renderSize":{"height":90,"width":160},"slices":[{"backgroundColor":{"blue":0,"green":0,"red":0},"end":50,"first":25,"layers":[{"crop":[],"frames":[{"count":25,"step":512,"time":12800}],"opacity":[],"source":0,"transform":[]}]}],"sources":[{"asset":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed","isStillImage":false,"name":"a.mp4","stream":{"codec":"h264","colour":{},"fieldOrder":"progressive","frames":{"end":25600,"keyframes":[{"decodingTime":0,"hasLeadingFrames":false,"position":260,"time":0}],"runs":[512,24],"start":12800},"nominalFrameRate":25,"orientation":{"isMirrored":false,"quarterTurns":0},"parameterSets":[1,66,192,11,255,225,0,24,103,66,192,11,218,10,55,228,192,68,0,0,3,0,4,0,0,3,0,200,60,80,170,128,1,0,4,104,206,15,200],"pixelAspectRatio":1,"pixelFormat":"yuv420p","size":{"height":90,"width":160},"streamIndex":0,"timeBase":"1/12800"}}],"video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}},{"end":75,"first":50,"frameDuration":"1/25","renderSize":{"height":90,"width":160},"slices":[{"backgroundColor":{"blue":0,"green":0,"red":0},"end":75,"first":50,"layers":[{"crop":[],"frames":[{"count":25,"step":512,"time":25600}],"opacity":[{"from":1,"timeRange":{"duration":1,"start":2},"to":0}],"source":0,"transform":[]},{"crop":[],"frames":[{"count":25,"step":512,"time":0}],"opacity":[],"source":1,"transform":[]}]}],"sources":[{"asset":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed","isStillImage":false,"name":"a.mp4","stream":{"codec":"h264","colour":{},"fieldOrder":"progressive","frames":{"end":38400,"keyframes":[{"decodingTime":0,"hasLeadingFrames":false,"position":260,"time":0}],"runs":[512,24],"start":25600},"nominalFrameRate":25,"orientation":{"isMirrored":false,"quarterTurns":0},"parameterSets":[1,66,192,11,255,225,0,24,103,66,192,11,218,10,55,228,192,68,0,0,3,0,4,0,0,3,0,200,60,80,170,128,1,0,4,104,206,15,200],"pixelAspectRatio":1,"pixelFormat":"yuv420p","size":{"height":90,"width":160},"streamIndex":0,"timeBase":"1/12800"}},{"asset":"ba3da0ac08d2143eb3281a7c367d9fd70673df7a6d0e19feb0ddb2d23011f021","isStillImage":false,"name":"/srv/footage/b.mp4","stream":{"codec":"h264","colour":{},"fieldOrder":"progressive","frames":{"end":12800,"keyframes":[{"decodingTime":0,"hasLeadingFrames":false,"position":48,"time":0}],"runs":[512,24],"start":0},"nominalFrameRate":25,"orientation":{"isMirrored":false,"quarterTurns":0},"parameterSets":[1,66,192,11,255,225,0,24,103,66,192,11,218,10,55,228,192,68,0,0,3,0,4,0,0,3,0,200,60,80,170,128,1,0,4,104,206,15,200],"pixelAspectRatio":1,"pixelFormat":"yuv420p","size":{"height":90,"width":160},"streamIndex":0,"timeBase":"1/12800"}}],"video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}},{"end":100,"first":75,"frameDuration":"1/25","renderSize":{"height":90,"width":160},"slices":[{"backgroundColor":{"blue":0,"green":0,"red":0},"end":100,"first":75,"layers":[{"crop":[],"frames":[{"count":25,"step":512,"time":12800}],"opacity":[],"source":0,"transform":[]}]}],"sources":[{"asset":"ba3da0ac08d2143eb3281a7c367d9fd70673df7a6d0e19feb0ddb2d23011f021","isStillImage":false,"name":"/srv/footage/b.mp4","stream":{"codec":"h264","colour":{},"fieldOrder":"progressive","frames":{"end":25600,"keyframes":[{"decodingTime":0,"hasLeadingFrames":false,"position":48,"time":0}],"runs":[512,24],"start":12800},"nominalFrameRate":25,"orientation":{"isMirrored":false,"quarterTurns":0},"parameterSets":[1,66,192,11,255,225,0,24,103,66,192,11,218,10,55,228,192,68,0,0,3,0,4,0,0,3,0,200,60,80,170,128,1,0,4,104,206,15,200],"pixelAspectRatio":1,"pixelFormat":"yuv420p","size":{"height":90,"width":160},"streamIndex":0,"timeBase":"1/12800"}}],"video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}}]}' AS BLOB));
INSERT INTO plans VALUES ('95c4bad126fb21e2b8c18b255076c9ac54b7a30ee347262dc8a70d8819ad2a42', CAST('{"export":{"audio":{"bitRate":128000,"channels":2,"codec":"aac","sampleRate":48000},"fileType":"mp4","optimizeForNetworkUse":true,"preset":"highestQuality","video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}},"frameCount":100,"frameDuration":"1/25","mix":{"inputs":[{"sampleCount":96000,"source":0,"sourceSample":0,"targetSample":0,"volume":[{"from":1,"timeRange":{"duration":1,"start":1},"to":0}]},{"sampleCount":144000,"source":0,"sourceSample":0,"targetSample":48000,"volume":[{"from":0,"timeRange":{"duration":1,"start":1},"to":1}]}],"sampleCount":192000,"settings":{"bitRate":128000,"channels":2,"codec":"aac","sampleRate":48000},"sources":[{"asset":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed","name":"a.mp4","start":0,"stream":{"channels":1,"codec":"aac","encoderDelay":1024,"end":144000,"layout":"mono","sampleRate":48000,"start":0,"streamIndex":1,"timeBase":"1/48000"}}]},"renderSize":{"height":90,"width":160},"segments":[{"end":25,"first":0,"frameDuration":"1/25","renderSize":{"height":90,"width":160},"slices":[{"backgroundColor":{"blue":0,"green":0,"red":0},"end":25,"first":0,"layers":[{"crop":[],"frames":[{"count":25,"step":512,"time":0}],"opacity":[],"source":0,"transform":[]}]}],"sources":[{"asset":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed","isStillImage":false,"name":"a.mp4","stream":{"codec":"h264","colour":{},"fieldOrder":"progressive","frames":{"end":12800,"keyframes":[{"decodingTime":0,"hasLeadingFrames":false,"position":260,"time":0}],"runs":[512,24],"start":0},"nominalFrameRate":25,"orientation":{"isMirrored":false,"quarterTurns":0},"parameterSets":[1,66,192,11,255,225,0,24,103,66,192,11,218,10,55,228,192,68,0,0,3,0,4,0,0,3,0,200,60,80,170,128,1,0,4,104,206,15,200],"pixelAspectRatio":1,"pixelFormat":"yuv420p","size":{"height":90,"width":160},"streamIndex":0,"timeBase":"1/12800"}}],"video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}},{"end":50,"first":25,"frameDuration":"1/25","renderSize":{"height":90,"width":160},"slices":[{"backgroundColor":{"blue":0,"green":0,"red":0},"end":50,"first":25,"layers":[{"crop":[],"frames":[{"count":25,"step":512,"time":12800}],"opacity":[],"source":0,"transform":[{"from":[1,0,0,1,0,0],"timeRange":{"duration":1,"start":1},"to":[1,0,0,1,-160,0]}]},{"crop":[],"frames":[{"count":25,"step":512,"time":0}],"opacity":[],"source":0,"transform":[{"from":[1,0,0,1,160,0],"timeRange":{"duration":1,"start":1},"to":[1,0,0,1,0,0]}]}]}],"sources":[{"asset":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed","isStillImage":false,"name":"a.mp4","stream":{"codec":"h264","colour":{},"fieldOrder":"progressive","frames":{"end":25600,"keyframes":[{"decodingTime":0,"hasLeadingFrames":false,"position":260,"time":0}],"runs":[512,49],"start":0},"nominalFrameRate":25,"orientation":{"isMirrored":false,"quarterTurns":0},"parameterSets":[1,66,192,11,255,225,0,24,103,66,192,11,218,10,55,228,192,68,0,0,3,0,4,0,0,3,0,200,60,80,170,128,1,0,4,104,206,15,200],"pixelAspectRatio":1,"pixelFormat":"yuv420p","size":{"height":90,"width":160},"streamIndex":0,"timeBase":"1/12800"}}],"video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}},{"end":75,"first":50,"frameDuration":"1/25","renderSize":{"height":90,"width":160},"slices":[{"backgroundColor":{"blue":0,"green":0,"red":0},"end":75,"first":50,"layers":[{"crop":[],"frames":[{"count":25,"step":512,"time":12800}],"opacity":[],"source":0,"transform":[]}]}],"sources":[{"asset":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed","isStillImage":false,"name":"a.mp4","stream":{"codec":"h264","colour":{},"fieldOrder":"progressive","frames":{"end":25600,"keyframes":[{"decodingTime":0,"hasLeadingFrames":false,"position":260,"time":0}],"runs":[512,24],"start":12800},"nominalFrameRate":25,"orientation":{"isMirrored":false,"quarterTurns":0},"parameterSets":[1,66,192,11,255,225,0,24,103,66,192,11,218,10,55,228,192,68,0,0,3,0,4,0,0,3,0,200,60,80,170,128,1,0,4,104,206,15,200],"pixelAspectRatio":1,"pixelFormat":"yuv420p","size":{"height":90,"width":160},"streamIndex":0,"timeBase":"1/12800"}}],"video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}},{"end":100,"first":75,"frameDuration":"1/25","renderSize":{"height":90,"width":160},"slices":[{"backgroundColor":{"blue":0,"green":0,"red":0},"end":100,"first":75,"layers":[{"crop":[],"frames":[{"count":25,"step":512,"time":25600}],"opacity":[],"source":0,"transform":[]}]}],"sources":[{"asset":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed","isStillImage":false,"name":"a.mp4","stream":{"codec":"h264","colour":{},"fieldOrder":"progressive","frames":{"end":38400,"keyframes":[{"decodingTime":0,"hasLeadingFrames":false,"position":260,"time":0}],"runs":[512,24],"start":25600},"nominalFrameRate":25,"orientation":{"isMirrored":false,"quarterTurns":0},"parameterSets":[1,66,192,11,255,225,0,24,103,66,192,11,218,10,55,228,192,68,0,0,3,0,4,0,0,3,0,200,60,80,170,128,1,0,4,104,206,15,200],"pixelAspectRatio":1,"pixelFormat":"yuv420p","size":{"height":90,"width":160},"streamIndex":0,"timeBase":"1/12800"}}],"video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}}]}' AS BLOB));
INSERT INTO plans VALUES ('11a330f77ceb11254c61948237cd73930625615005fe18659dcf6a16ccde9a6a', CAST('{"export":{"audio":{"bitRate":128000,"channels":2,"codec":"aac","sampleRate":48000},"fileType":"mp4","optimizeForNetworkUse":true,"preset":"highestQuality","video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}},"frameCount":150,"frameDuration":"1/25","mix":{"inputs":[{"sampleCount":144000,"source":0,"sourceSample":0,"targetSample":0,"volume":[{"from":1,"timeRange":{"duration":"1/2","start":"5/2"},"to":0}]},{"sampleCount":96000,"source":0,"sourceSample":0,"targetSample":192000,"volume":[{"from":0,"timeRange":{"duration":"1/2","start":4},"to":1}]},{"sampleCount":96000,"source":0,"sourceSample":48000,"targetSample":120000,"volume":[{"from":0,"timeRange":{"duration":"1/2","start":"5/2"},"to":1},{"from":1,"timeRange":{"duration":"1/2","start":4},"to":0}]}],"sampleCount":288000,"settings":{"bitRate":128000,"channels":2,"codec":"aac","sampleRate":48000},"sources":[{"asset":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed","name":"a.mp4","start":0,"stream":{"channels":1,"codec":"aac","encoderDelay":1024,"end":144000,"layout":"mono","sampleRate":48000,"start":0,"streamIndex":1,"timeBase":"1/48000"}}]},"renderSize":{"height":90,"width":160},"segments":[{"end":25,"first":0,"frameDuration":"1/25","renderSize":{"height":90,"width":160},"slices":[{"backgroundColor":{"blue":0,"green":0,"red":0},"end":25,"first":0,"layers":[{"crop":[],"frames":[{"count":25,"step":512,"time":0}],"opacity":[],"source":0,"transform":[]}]}],"sources":[{"asset":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed","isStillImage":false,"name":"a.mp4","stream":{"codec":"h264","colour":{},"fieldOrder":"progressive","frames":{"end":12800,"keyframes":[{"decodingTime":0,"hasLeadingFrames":false,"position":260,"time":0}],"runs":[512,24],"start":0},"nominalFrameRate":25,"orientation":{"isMirrored":false,"quarterTurns":0},"parameterSets":[1,66,192,11,255,225,0,24,103,66,192,11,218,10,55,228,192,68,0,0,3,0,4,0,0,3,0,200,60,80,170,128,1,0,4,104,206,15,200],"pixelAspectRatio":1,"pixelFormat":"yuv420p","size":{"height":90,"width":160},"streamIndex":0,"timeBase":"1/12800"}}],"video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}},{"end":50,"first":25,"frameDuration":"1/25","renderSize":{"height":90,"width":160},"slices":[{"backgroundColor":{"blue":0,"green":0,"red":0},"end":50,"first":25,"layers":[{"crop":[],"frames":[{"count":25,"step":512,"time":12800}],"opacity":[],"source":0,"transform":[]}]}],"sources":[{"asset":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed","isStillImage":false,"name":"a.mp4","stream":{"codec":"h264","colour":{},"fieldOrder":"progressive","frames":{"end":25600,"keyframes":[{"decodingTime":0,"hasLeadingFrames":false,"position":260,"time":0}],"runs":[512,24],"start":12800},"nominalFrameRate":25,"orientation":{"isMirrored":false,"quarterTurns":0},"parameterSets":[1,66,192,11,255,225,0,24,103,66,192,11,218,10,55,228,192,68,0,0,3,0,4,0,0,3,0,200,60,80,170,128,1,0,4,104,206,15,200],"pixelAspectRatio":1,"pixelFormat":"yuv420p","size":{"height":90,"width":160},"streamIndex":0,"timeBase":"1/12800"}}],"video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}},{"end":63,"first":50,"frameDuration":"1/25","renderSize":{"height":90,"width":160},"slices":[{"backgroundColor":{"blue":0,"green":0,"red":0},"end":63,"first":50,"layers":[{"crop":[],"frames":[{"count":13,"step":512,"time":25600}],"opacity":[],"source":0,"transform":[]}]}],"sources":[{"asset":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed","isStillImage":false,"name":"a.mp4","stream":{"codec":"h264","colour":{},"fieldOrder":"progressive","frames":{"end":32256,"keyframes":[{"decodingTime":0,"hasLeadingFrames":false,"position":260,"time":0}],"runs":[512,12],"start":25600},"nominalFrameRate":25,"orientation":{"isMirrored":false,"quarterTurns":0},"parameterSets":[1,66,192,11,255,225,0,24,103,66,192,11,218,10,55,228,192,68,0,0,3,0,4,0,0,3,0,200,60,80,170,128,1,0,4,104,206,15,200],"pixelAspectRatio":1,"pixelFormat":"yuv420p","size":{"height":90,"width":160},"streamIndex":0,"timeBase":"1/12800"}}],"video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}},{"end":75,"first":63,"frameDuration":"1/25","renderSize":{"height":90,"width":160},"slices":[{"backgroundColor":{"blue":0,"green":0,"red":0},"end":75,"first":63,"layers":[{"crop":[],"frames":[{"count":12,"step":512,"time":32256}],"opacity":[{"from":1,"timeRange":{"duration":"1/2","start":"5/2"},"to":0}],"source":0,"transform":[]},{"crop":[],"frames":[{"count":12,"step":512,"time":12800}],"opacity":[],"source":0,"transform":[]}]}],"sources":[{"asset":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed","isStillImage":false,"name":"a.mp4","stream":{"codec":"h264","colour":{},"fieldOrder":"progressive","frames":{"end":38400,"keyframes":[{"decodingTime":0,"hasLeadingFrames":false,"position":260,"time":0}],"runs":[512,11,13824,1,512,11],"start":12800},"nominalFrameRate":25,"orientation":{"isMirrored":false,"quarterTurns":0},"parameterSets":[1,66,192,11,255,225,0,24,103,66,192,11,218,10,55,228,192,68,0,0,3,0,4,0,0,3,0,200,60,80,170,128,1,0,4,104,206,15,200],"pixelAspectRatio":1,"pixelFormat":"yuv420p","size":{"height":90,"width":160},"streamIndex":0,"timeBase":"1/12800"}}],"video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}},{"end":100,"first":75,"frameDuration":"1/25","renderSize":{"height":90,"width":160},"slices":[{"backgroundColor":{"blue":0,"green":0,"red":0},"end":100,"first":75,"layers":[{"crop":[],"frames":[{"count":25,"step":512,"time":18944}],"opacity":[],"source":0,"transform":[]}]}],"sources":[{"asset":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed","isStillImage":false,"name":"a.mp4","stream":{"codec":"h264","colour":{},"fieldOrder":"progressive","frames":{"end":31744,"keyframes":[{"decodingTime":0,"hasLeadingFrames":false,"position":260,"time":0}],"runs":[512,24],"start":18944},"nominalFrameRate":25,"orientation":{"isMirrored":false,"quarterTurns":0},"parameterSets":[1,66,192,11,255,225,0,24,103,66,192,11,218,10,55,228,192,68,0,0,3,0,4,0,0,3,0,200,60,80,170,128,1,0,4,104,206,15,200],"pixelAspectRatio":1,"pixelFormat":"yuv420p","size":{"height":90,"width":160},"streamIndex":0,"timeBase":"1/12800"}}],"video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}},{"end":113,"first":100,"frameDuration":"1/25","renderSize":{"height":90,"width":160},"slices":[{"backgroundColor":{"blue":0,"green":0,"red":0},"end":113,"first":100,"layers":[{"crop":[],"frames":[{"count":13,"step":512,"time":31744}],"opacity":[{"from":1,"timeRange":{"duration":"1/2","start":4},"to":0}],"source":0,"transform":[]},{"crop":[],"frames":[{"count":13,"step":512,"time":0}],"opacity":[],"source":0,"transform":[]}]}],"sources":[{"asset":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed","isStillImage":false,"name":"a.mp4","stream":{"codec":"h264","colour":{},"fieldOrder":"progressive","frames":{"end":38400,"keyframes":[{"decodingTime":0,"hasLeadingFrames":false,"position":260,"time":0}],"runs":[512,12,25600,1,512,12],"start":0},"nominalFrameRate":25,"orientation":{"isMirrored":false,"quarterTurns":0},"parameterSets":[1,66,192,11,255,225,0,24,103,66,192,11,218,10,55,228,192,68,0,0,3,0,4,0,0,3,0,200,60,80,170,128,1,0,4,104,206,15,200],"pixelAspectRatio":1,"pixelFormat":"yuv420p","size":{"height":90,"width":160},"streamIndex":0,"timeBase":"1/12800"}}],"video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}},{"end":150,"first":113,"frameDuration":"1/25","renderSize":{"height":90,"width":160},"slices":[{"backgroundColor":{"blue":0,"green":0,"red":0},"end":150,"first":113,"layers":[{"crop":[],"frames":[{"count":37,"step":512,"time":6656}],"opacity":[],"source":0,"transform":[]}]}],"sources":[{"asset":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed","isStillImage":false,"name":"a.mp4","stream":{"codec":"h264","colour":{},"fieldOrder":"progressive","frames":{"end":25600,"keyframes":[{"decodingTime":0,"hasLeadingFrames":false,"position":260,"time":0}],"runs":[512,36],"start":6656},"nominalFrameRate":25,"orientation":{"isMirrored":false,"quarterTurns":0},"parameterSets":[1,66,192,11,255,225,0,24,103,66,192,11,218,10,55,228,192,68,0,0,3,0,4,0,0,3,0,200,60,80,170,128,1,0,4,104,206,15,200],"pixelAspectRatio":1,"pixelFormat":"yuv420p","size":{"height":90,"width":160},"streamIndex":0,"timeBase":"1/12800"}}],"video":{"codec":"h264","crf":20,"encoderPreset":"ultrafast"}}]}' AS BLOB));
INSERT INTO plans VALUES ('64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525', X'');
CREATE TABLE jobs (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  created_at REAL NOT NULL,
  finished_at REAL,
  submission BLOB NOT NULL,
  plan TEXT REFERENCES plans (hash),
  frame_count INTEGER,
  frame_duration REAL,
  fingerprint TEXT,
  failure_code TEXT,
  failure_message TEXT,
  output_name TEXT,
  output_bytes INTEGER,
  output_sha256 TEXT
, loudness BLOB, submitter TEXT, priority INTEGER NOT NULL DEFAULT 0, final_progress BLOB, frame_rate BLOB, idempotency_key TEXT, body_sha256 TEXT, limits BLOB, planning_tries INTEGER NOT NULL DEFAULT 0, project TEXT, plan_file TEXT, concealed_sounds INTEGER, started_at REAL, output_deletion BLOB) STRICT;
INSERT INTO jobs VALUES (1, 'tgwb30ns0gne', 'wedding', 'completed', 1795329270.467671, 1795329271.831053, CAST('{"assets":{"/srv/footage/b.mp4":{"byteCount":21161,"digest":"ba3da0ac08d2143eb3281a7c367d9fd70673df7a6d0e19feb0ddb2d23011f021","path":"/srv/footage/b.mp4"},"a.mp4":{"byteCount":134503,"digest":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed"}},"name":"wedding","project":"{\"version\": 1, \"sequence\": [{\"clip\": \"a.mp4\"}, {\"transition\": \"dissolve\", \"duration\": 1}, {\"clip\": \"/srv/footage/b.mp4\"}], \"export\": {\"preset\": \"highestQuality\", \"video\": {\"codec\": \"h264\", \"encoderPreset\": \"ultrafast\"}}}"}' AS BLOB), 'a3e6051cc1ba8f72eeb768277dae79e637ad3169f0fa4815720f11f37ad5cfeb', 100, 0.04, 'sheaf 10, avformat 59.27.100, avcodec 59.37.100, avutil 57.28.100, swscale 6.7.100, swresample 4.7.100, avfilter 8.44.100, ffmpeg 5.1.9-0+deb12u1, x264 - core 164 r3095 baee400, x265 3.5+1-f0c1022b6, svtav1 v1.4.1, vpx v1.12.0, dav1d 1.0.0', NULL, NULL, 'wedding.mp4', 219694, '9866db9b8b35614b240571b91821824cc2cece67177c5ef4a911d1e0be07cd06', CAST('{"after":-16.0,"before":-21.5,"gain":5.5,"isLimited":false,"target":-16.0,"truePeak":-3.25}' AS BLOB), 'anna', 0, CAST('{"framesRendered":100,"segments":{"completed":4,"failed":0,"leased":0,"pending":0},"segmentsReused":0}' AS BLOB), NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, 1795329270.967671, NULL);
INSERT INTO jobs VALUES (2, 'ync1aeqtm6sk', 'titles', 'completed', 1795329270.4783518, 1795329271.4405727, CAST('{"assets":{},"name":"titles","priority":5,"project":"{\"version\": 1, \"sequence\": [{\"clip\": \"https://media.example.com/c.mp4\"}], \"export\": {\"preset\": \"highestQuality\", \"video\": {\"codec\": \"h264\", \"encoderPreset\": \"ultrafast\"}}}"}' AS BLOB), '0be5abbb977bd5f0f920d79e56e851206c62d5e9721aa1a2460560d3585b9c3f', 25, 0.04, 'sheaf 10, avformat 59.27.100, avcodec 59.37.100, avutil 57.28.100, swscale 6.7.100, swresample 4.7.100, avfilter 8.44.100, ffmpeg 5.1.9-0+deb12u1, x264 - core 164 r3095 baee400, x265 3.5+1-f0c1022b6, svtav1 v1.4.1, vpx v1.12.0, dav1d 1.0.0', NULL, NULL, NULL, NULL, NULL, NULL, 'anna', 5, CAST('{"framesRendered":25,"segments":{"completed":1,"failed":0,"leased":0,"pending":0},"segmentsReused":0}' AS BLOB), NULL, NULL, NULL, NULL, 0, NULL, NULL, 1, NULL, CAST('{"byteCount":4711,"deletedAt":"2026-11-20T10:00:00Z","fileName":"titles.mp4","reason":"the job ended more than 30 days ago (--keep-outputs-days)"}' AS BLOB));
INSERT INTO jobs VALUES (3, 'hhhskaxda5e3', 'trailer', 'failed', 1795329272.0563216, 1795329272.0790944, CAST('{"assets":{"a.mp4":{"byteCount":134503,"digest":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed"}},"name":"trailer","project":"{\"version\": 1, \"sequence\": [{\"clip\": \"a.mp4\", \"in\": 0, \"out\": 2}, {\"transition\": \"push\", \"duration\": 1}, {\"clip\": \"a.mp4\"}], \"export\": {\"preset\": \"highestQuality\", \"video\": {\"codec\": \"h264\", \"encoderPreset\": \"ultrafast\"}}}","rerenders":true}' AS BLOB), '95c4bad126fb21e2b8c18b255076c9ac54b7a30ee347262dc8a70d8819ad2a42', 100, 0.04, 'x264', 'unsupported-media', 'a.mp4: cannot be decoded', NULL, NULL, NULL, NULL, 'anna', 0, CAST('{"framesRendered":0,"segments":{"completed":0,"failed":1,"leased":0,"pending":3},"segmentsReused":0}' AS BLOB), CAST('{"fastest":{"asset":"a.mp4","frameRate":25},"frameRate":25,"reason":"showsEveryFrame","unshown":[]}' AS BLOB), NULL, NULL, CAST('{"assetBytes":1099511627776,"assets":100000,"chunkBytes":4294967296,"segments":1000000}' AS BLOB), 0, NULL, NULL, NULL, 1795329272.5563216, NULL);
INSERT INTO jobs VALUES (4, 'gn4hnm9jfy30', 'draft', 'cancelled', 1795329272.1013074, 1795329273.1056669, CAST('{"assets":{"a.mp4":{"byteCount":134503,"digest":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed"}},"name":"draft","project":"{\"version\": 1, \"sequence\": [{\"clip\": \"a.mp4\", \"in\": 0, \"out\": 2}, {\"transition\": \"push\", \"duration\": 1}, {\"clip\": \"a.mp4\"}], \"export\": {\"preset\": \"highestQuality\", \"video\": {\"codec\": \"h264\", \"encoderPreset\": \"ultrafast\"}}}","rerenders":true}' AS BLOB), '95c4bad126fb21e2b8c18b255076c9ac54b7a30ee347262dc8a70d8819ad2a42', 100, 0.04, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'anna', 0, CAST('{"framesRendered":0,"segments":{"completed":0,"failed":0,"leased":0,"pending":4},"segmentsReused":0}' AS BLOB), NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO jobs VALUES (5, 'a8nqh9ac1dtz', 'long cut', 'rendering', 1795329273.1159365, NULL, CAST('{"assets":{"a.mp4":{"byteCount":134503,"digest":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed"}},"name":"long cut","project":"{\"version\": 1, \"sequence\": [{\"clip\": \"a.mp4\"}, {\"transition\": \"dissolve\", \"duration\": \"1/2\"}, {\"clip\": \"a.mp4\", \"in\": 1}, {\"transition\": \"dissolve\", \"duration\": \"1/2\"}, {\"clip\": \"a.mp4\", \"in\": 0, \"out\": 2}], \"export\": {\"preset\": \"highestQuality\", \"video\": {\"codec\": \"h264\", \"encoderPreset\": \"ultrafast\"}}}","rerenders":true}' AS BLOB), '11a330f77ceb11254c61948237cd73930625615005fe18659dcf6a16ccde9a6a', 150, 0.04, 'x264', NULL, NULL, NULL, NULL, NULL, NULL, 'anna', 0, NULL, NULL, '5f1c0a52-9d6e-4c1b-8a0e-3f8f6c1d2b7a', '6e124e28ae68f50d25d86356165ec3c35d22cbf8a72b6dccef835a6acb760b86', CAST('{"assetBytes":1099511627776,"assets":100000,"chunkBytes":4294967296,"segments":1000000}' AS BLOB), 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO jobs VALUES (6, 'm5tqk2w8x1za', 'teaser', 'failed', 1795329280.5, 1795329281.5, CAST('{"assets":{},"name":"teaser","project":""}' AS BLOB), '64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525', 25, 0.04, 'x264', 'unsupported-media', 'a.mp4: cannot be decoded', 'teaser.mp4', 1, '4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a', NULL, 'anna', 0, CAST('{"framesRendered":0,"segments":{"completed":0,"failed":1,"leased":0,"pending":0},"segmentsReused":0}' AS BLOB), NULL, NULL, NULL, CAST('{"assetBytes":1099511627776,"assets":100000,"chunkBytes":4294967296,"planning":{"clips":50000,"editListEntries":10000,"files":10000,"frames":33554432,"indexBytes":67108864,"memory":2147483648,"probeSeconds":60,"seconds":60,"segmentBytes":4194304,"segments":20000,"tracks":1000,"values":1000000},"segments":1000000}' AS BLOB), 0, '244210e48437b6556980a70249a99369934a352429034cef9d7bd253b3bf2c01', 'aabebd9f1f68e6e080c260a1ec49d3d281fbddd5bf7e63c4bb7bb75ed1e2927b', NULL, NULL, NULL);
CREATE TABLE workers (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  slots INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  is_draining INTEGER NOT NULL DEFAULT 0,
  is_forgotten INTEGER NOT NULL DEFAULT 0
, token TEXT, memory INTEGER, host TEXT, cores INTEGER, version TEXT, pools TEXT NOT NULL DEFAULT '', priority INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO workers VALUES (1, 'wgdkjcdc83t2', 'rack-1', 1, 'sheaf 10, avformat 59.27.100, avcodec 59.37.100, avutil 57.28.100, swscale 6.7.100, swresample 4.7.100, avfilter 8.44.100, ffmpeg 5.1.9-0+deb12u1, x264 - core 164 r3095 baee400, x265 3.5+1-f0c1022b6, svtav1 v1.4.1, vpx v1.12.0, dav1d 1.0.0', 0, 0, NULL, NULL, NULL, NULL, NULL, 'gpu night', 5);
INSERT INTO workers VALUES (2, 'wy58hg87w82d', 'rack-2', 1, 'x264', 0, 0, '0a1b2c3d', 4294967296, 'rack-2.example.org', 16, '0.9.0', '', 0);
CREATE TABLE segments (
  job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  first_frame INTEGER NOT NULL,
  end_frame INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  expiries INTEGER NOT NULL DEFAULT 0,
  worker TEXT REFERENCES workers (id),
  chunk_sha256 TEXT,
  chunk_bytes INTEGER, delivery INTEGER REFERENCES deliveries (id), cost INTEGER NOT NULL DEFAULT 0, content TEXT, plan_offset INTEGER, plan_length INTEGER, plan_digest TEXT, assets BLOB, concealed INTEGER, peak_memory INTEGER NOT NULL DEFAULT 0, method TEXT,
  PRIMARY KEY (job, number)
) STRICT, WITHOUT ROWID;
INSERT INTO segments VALUES ('a8nqh9ac1dtz', 0, 0, 25, 'pending', 0, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('a8nqh9ac1dtz', 1, 25, 50, 'leased', 1, 0, 'wy58hg87w82d', NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('a8nqh9ac1dtz', 2, 50, 63, 'pending', 0, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('a8nqh9ac1dtz', 3, 63, 75, 'pending', 0, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('a8nqh9ac1dtz', 4, 75, 100, 'leased', 1, 0, 'wy58hg87w82d', NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('a8nqh9ac1dtz', 5, 100, 113, 'pending', 0, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('a8nqh9ac1dtz', 6, 113, 150, 'completed', 1, 0, 'wy58hg87w82d', '8f5ecfdc8f0b1a2bfb59fe81168a8f8e49027547bae1de86050a20f76ff2b04e', 7, 1, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('gn4hnm9jfy30', 0, 0, 25, 'pending', 0, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('gn4hnm9jfy30', 1, 25, 50, 'pending', 0, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('gn4hnm9jfy30', 2, 50, 75, 'pending', 0, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('gn4hnm9jfy30', 3, 75, 100, 'pending', 0, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('hhhskaxda5e3', 0, 0, 25, 'pending', 0, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('hhhskaxda5e3', 1, 25, 50, 'pending', 0, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('hhhskaxda5e3', 2, 50, 75, 'pending', 0, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('hhhskaxda5e3', 3, 75, 100, 'failed', 1, 0, 'wy58hg87w82d', NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('m5tqk2w8x1za', 0, 0, 25, 'failed', 1, 0, 'wy58hg87w82d', NULL, NULL, NULL, 25000, 'ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73', 513, 2048, '37a680133bd09342f934afb8dd2c7d9e1b624da5f35e3a38adb103e37c055ed1', X'b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed', NULL, 314572800, 'blended');
INSERT INTO segments VALUES ('tgwb30ns0gne', 0, 0, 25, 'completed', 1, 0, 'wgdkjcdc83t2', '5a77edd12a5806552e7acb520bc6a4336aa2896362dd970ce71c5b5226568929', 42031, 2, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('tgwb30ns0gne', 1, 25, 50, 'completed', 1, 0, 'wgdkjcdc83t2', 'c7dd7a75dc309ffb704e1371b0d42df300b108e43ac641fd6af382b2cbc28dd9', 42585, 3, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, 'copied');
INSERT INTO segments VALUES ('tgwb30ns0gne', 2, 50, 75, 'completed', 1, 0, 'wgdkjcdc83t2', '712d14ccfbccbd5d96eaa11b39c300c98c6e1b7cd127016e5279e4bc2a580e69', 62686, 4, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('tgwb30ns0gne', 3, 75, 100, 'completed', 1, 0, 'wgdkjcdc83t2', 'fe93bb57d4576764b96fa47891bf4be5ca710d1fd97e243872a85764b5f838ea', 15128, 5, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO segments VALUES ('ync1aeqtm6sk', 0, 0, 25, 'completed', 1, 0, 'wgdkjcdc83t2', '3f237ccd78990fe107366c8329c0493408c926628a69c3d6d6f47982bcd07ea1', 3808, 6, 0, NULL, NULL, NULL, NULL, NULL, 1, 0, NULL);
CREATE TABLE failures (
  id INTEGER PRIMARY KEY,
  job TEXT NOT NULL,
  segment INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  worker TEXT NOT NULL REFERENCES workers (id),
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  is_permanent INTEGER NOT NULL,
  FOREIGN KEY (job, segment) REFERENCES segments (job, number) ON DELETE CASCADE
) STRICT;
INSERT INTO failures VALUES (1, 'hhhskaxda5e3', 3, 1, 'wy58hg87w82d', 'unsupported-media', 'a.mp4: cannot be decoded', 1);
CREATE TABLE shared_assets (
  digest TEXT PRIMARY KEY,
  path TEXT NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;
INSERT INTO shared_assets VALUES ('ba3da0ac08d2143eb3281a7c367d9fd70673df7a6d0e19feb0ddb2d23011f021', '/srv/footage/b.mp4', 21161);
CREATE TABLE attempts (
  token TEXT PRIMARY KEY,
  job TEXT NOT NULL,
  segment INTEGER NOT NULL,
  number INTEGER NOT NULL,
  worker TEXT NOT NULL REFERENCES workers (id),
  outcome TEXT, is_copy INTEGER NOT NULL DEFAULT 0, started_at REAL, ended_at REAL, frames INTEGER, code TEXT, message TEXT,
  FOREIGN KEY (job, segment) REFERENCES segments (job, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO attempts VALUES ('-ML8h-uYLGNGHKvZ8OEmjxI7ORUZuRokNDIgRjIOiWA', 'a8nqh9ac1dtz', 4, 1, 'wy58hg87w82d', NULL, 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO attempts VALUES ('E0C2spWDK2xQj-cyKb4oBVoB312-KfzV6qAI7J7w6UM', 'ync1aeqtm6sk', 0, 1, 'wgdkjcdc83t2', 'completed', 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO attempts VALUES ('Hpm5XtLmqpuc9AK-EK8o2QJO8ZGT-dFk4ISYDQ1U7lM', 'tgwb30ns0gne', 0, 1, 'wgdkjcdc83t2', 'completed', 0, 1795329270.5, 1795329271.5, NULL, NULL, NULL);
INSERT INTO attempts VALUES ('JVdPZ9R1ZZt_rMtyHHF-G9CA4zg7bqYtcoj13oKA-MA', 'tgwb30ns0gne', 1, 1, 'wgdkjcdc83t2', 'completed', 0, 1795329270.5, 1795329271.5, NULL, NULL, NULL);
INSERT INTO attempts VALUES ('P2_cRb0P8B3QzImSDOwY1CIe1fQMMBLRVsfdHlbdx3Q', 'tgwb30ns0gne', 3, 1, 'wgdkjcdc83t2', 'completed', 0, 1795329270.5, 1795329271.5, NULL, NULL, NULL);
INSERT INTO attempts VALUES ('Rsrb6PA9xvIQliPzuZF9GfVQ2Ew4tcuovdp23iai4E0', 'hhhskaxda5e3', 3, 1, 'wy58hg87w82d', 'failed', 0, 1795329272.06, 1795329272.07, 7, 'unsupported-media', 'a.mp4: cannot be decoded');
INSERT INTO attempts VALUES ('UF9QAlpVFBg5L_VUdZtnC35c49BvGPkiG0Sm5BHWb3o', 'tgwb30ns0gne', 2, 1, 'wgdkjcdc83t2', 'completed', 0, 1795329270.5, 1795329271.5, NULL, NULL, NULL);
INSERT INTO attempts VALUES ('aSJqgaG02Ssy4O0RWFbogKiNbyTuAAX9my9YM7pJllM', 'a8nqh9ac1dtz', 6, 1, 'wy58hg87w82d', 'completed', 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO attempts VALUES ('s2AnzAfz2zRcS7D2huPLagLcMysuY2d8dq4Uf1N6JSM', 'a8nqh9ac1dtz', 1, 1, 'wy58hg87w82d', NULL, 0, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE kept_chunks (
  content_key TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  used_at REAL NOT NULL
, delivery INTEGER REFERENCES deliveries (id)) STRICT, WITHOUT ROWID;
INSERT INTO kept_chunks VALUES ('9bc196121c4af2429e744b57188fe059560c5dde5f1e8cb39a3c7ef5fb0e6f74', 'sheaf 10, avformat 59.27.100, avcodec 59.37.100, avutil 57.28.100, swscale 6.7.100, swresample 4.7.100, avfilter 8.44.100, ffmpeg 5.1.9-0+deb12u1, x264 - core 164 r3095 baee400, x265 3.5+1-f0c1022b6, svtav1 v1.4.1, vpx v1.12.0, dav1d 1.0.0', '5a77edd12a5806552e7acb520bc6a4336aa2896362dd970ce71c5b5226568929', 42031, 1795329271.6153593, 2);
INSERT INTO kept_chunks VALUES ('afd582681d3f8dfb7a007c9204ea585af3e6a3d681368f7e30506fead2b95b60', 'sheaf 10, avformat 59.27.100, avcodec 59.37.100, avutil 57.28.100, swscale 6.7.100, swresample 4.7.100, avfilter 8.44.100, ffmpeg 5.1.9-0+deb12u1, x264 - core 164 r3095 baee400, x265 3.5+1-f0c1022b6, svtav1 v1.4.1, vpx v1.12.0, dav1d 1.0.0', 'fe93bb57d4576764b96fa47891bf4be5ca710d1fd97e243872a85764b5f838ea', 15128, 1795329271.5633922, 5);
INSERT INTO kept_chunks VALUES ('d9a9a359e9600a211891c585f6461b1343975717d7c660970d6767d9e761c1b1', 'sheaf 10, avformat 59.27.100, avcodec 59.37.100, avutil 57.28.100, swscale 6.7.100, swresample 4.7.100, avfilter 8.44.100, ffmpeg 5.1.9-0+deb12u1, x264 - core 164 r3095 baee400, x265 3.5+1-f0c1022b6, svtav1 v1.4.1, vpx v1.12.0, dav1d 1.0.0', '712d14ccfbccbd5d96eaa11b39c300c98c6e1b7cd127016e5279e4bc2a580e69', 62686, 1795329271.3836794, 4);
INSERT INTO kept_chunks VALUES ('dd0ba2d2ace602cdb2a5561b0fe607cebe394c21cd3079c667b90a9dc7986e15', 'sheaf 10, avformat 59.27.100, avcodec 59.37.100, avutil 57.28.100, swscale 6.7.100, swresample 4.7.100, avfilter 8.44.100, ffmpeg 5.1.9-0+deb12u1, x264 - core 164 r3095 baee400, x265 3.5+1-f0c1022b6, svtav1 v1.4.1, vpx v1.12.0, dav1d 1.0.0', 'c7dd7a75dc309ffb704e1371b0d42df300b108e43ac641fd6af382b2cbc28dd9', 42585, 1795329271.487351, 3);
INSERT INTO kept_chunks VALUES ('f87f2cd6205c1c0fed72549b39807039d89cb6402c8313bdc1bca34643019272', 'x264', '8f5ecfdc8f0b1a2bfb59fe81168a8f8e49027547bae1de86050a20f76ff2b04e', 7, 1795329273.1591108, 1);
INSERT INTO kept_chunks VALUES ('fbef7c2103311a72aacf3f84e6aa32d80c9a12dcee8060e19631e0aadd4ff8bc', 'sheaf 10, avformat 59.27.100, avcodec 59.37.100, avutil 57.28.100, swscale 6.7.100, swresample 4.7.100, avfilter 8.44.100, ffmpeg 5.1.9-0+deb12u1, x264 - core 164 r3095 baee400, x265 3.5+1-f0c1022b6, svtav1 v1.4.1, vpx v1.12.0, dav1d 1.0.0', '3f237ccd78990fe107366c8329c0493408c926628a69c3d6d6f47982bcd07ea1', 3808, 1795329271.184774, 6);
CREATE TABLE fetched_assets (
  job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  digest TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (job, url)
) STRICT, WITHOUT ROWID;
INSERT INTO fetched_assets VALUES ('ync1aeqtm6sk', 'https://media.example.com/c.mp4', '1335c4e846dc426f793d8fca43f7769e5a3c309beb210be3f0395b53fb8158a8', 2878);
CREATE TABLE "asset_owners" (
  owner TEXT NOT NULL,
  digest TEXT NOT NULL, bytes INTEGER,
  PRIMARY KEY (owner, digest)
) STRICT, WITHOUT ROWID;
INSERT INTO asset_owners VALUES ('anna', '1335c4e846dc426f793d8fca43f7769e5a3c309beb210be3f0395b53fb8158a8', NULL);
INSERT INTO asset_owners VALUES ('anna', 'b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed', 134503);
CREATE TABLE chunk_concealments (
  sha256 TEXT PRIMARY KEY,
  concealments BLOB NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO chunk_concealments VALUES ('3f237ccd78990fe107366c8329c0493408c926628a69c3d6d6f47982bcd07ea1', CAST('[{"asset":"3f237ccd78990fe107366c8329c0493408c926628a69c3d6d6f47982bcd07ea1","frames":[2,3],"time":1}]' AS BLOB));
CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY,
  sha256 TEXT NOT NULL,
  worker TEXT NOT NULL REFERENCES workers (id),
  token TEXT,
  token_name TEXT,
  job TEXT NOT NULL,
  segment INTEGER NOT NULL,
  delivered_at REAL NOT NULL
) STRICT;
INSERT INTO deliveries VALUES (1, '8f5ecfdc8f0b1a2bfb59fe81168a8f8e49027547bae1de86050a20f76ff2b04e', 'wy58hg87w82d', NULL, NULL, 'a8nqh9ac1dtz', 6, 1795345234.0);
INSERT INTO deliveries VALUES (2, '5a77edd12a5806552e7acb520bc6a4336aa2896362dd970ce71c5b5226568929', 'wgdkjcdc83t2', '0a1b2c3d', 'rack-1', 'tgwb30ns0gne', 0, 1795329271.831053);
INSERT INTO deliveries VALUES (3, 'c7dd7a75dc309ffb704e1371b0d42df300b108e43ac641fd6af382b2cbc28dd9', 'wgdkjcdc83t2', '0a1b2c3d', 'rack-1', 'tgwb30ns0gne', 1, 1795329271.831053);
INSERT INTO deliveries VALUES (4, '712d14ccfbccbd5d96eaa11b39c300c98c6e1b7cd127016e5279e4bc2a580e69', 'wgdkjcdc83t2', '0a1b2c3d', 'rack-1', 'tgwb30ns0gne', 2, 1795329271.831053);
INSERT INTO deliveries VALUES (5, 'fe93bb57d4576764b96fa47891bf4be5ca710d1fd97e243872a85764b5f838ea', 'wgdkjcdc83t2', '0a1b2c3d', 'rack-1', 'tgwb30ns0gne', 3, 1795329271.831053);
INSERT INTO deliveries VALUES (6, '3f237ccd78990fe107366c8329c0493408c926628a69c3d6d6f47982bcd07ea1', 'wgdkjcdc83t2', NULL, NULL, 'ync1aeqtm6sk', 0, 1795329271.4405727);
INSERT INTO deliveries VALUES (7, 'd2e1f0c9b8a79685746352413f2e1d0c9b8a7968574635241302f1e0d9c8b7a6', 'wy58hg87w82d', '0a1b2c3d', 'rack-2', 'a8nqh9ac1dtz', 2, 1795329273.25);
CREATE TABLE held_chunks (
  job TEXT NOT NULL,
  segment INTEGER NOT NULL,
  delivery INTEGER NOT NULL REFERENCES deliveries (id),
  lease TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (job, segment, delivery),
  FOREIGN KEY (job, segment) REFERENCES segments (job, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO held_chunks VALUES ('a8nqh9ac1dtz', 2, 7, 'qZ0mXnJ8d3lYb1vN6cT4kR2wS9aP7eG5hU0iO1fL3xE', 7);
CREATE TABLE distrusted_workers (
  name TEXT NOT NULL,
  token TEXT,
  reason TEXT NOT NULL,
  since REAL NOT NULL
) STRICT;
INSERT INTO distrusted_workers VALUES ('rack-3', '4e5f6a7b', 'its chunk of segment 1 of job tgwb30ns0gne is not the one that two other workers delivered', 1795329274.5);
CREATE TABLE lost_outputs (
  job TEXT NOT NULL PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
  plan TEXT REFERENCES plans (hash),
  plan_file TEXT,
  plan_facts BLOB,
  frame_count INTEGER,
  frame_duration REAL,
  frame_rate BLOB,
  fingerprint TEXT,
  loudness BLOB,
  concealed_sound BLOB,
  final_progress BLOB
, concealed_sounds INTEGER, first_concealed_sound BLOB) STRICT, WITHOUT ROWID;
INSERT INTO lost_outputs VALUES ('m5tqk2w8x1za', '64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525', 'aabebd9f1f68e6e080c260a1ec49d3d281fbddd5bf7e63c4bb7bb75ed1e2927b', CAST('{"codec":"h264","file":"aabebd9f1f68e6e080c260a1ec49d3d281fbddd5bf7e63c4bb7bb75ed1e2927b","fileType":"mp4","format":1,"frameCount":25,"frameDuration":"1/25","hash":"64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525","head":{"digest":"9f2e6d33a3717ee826353a404ba4618d1aeeb6879ad7936bce8ed5f46814924d","length":512,"offset":0},"pictures":[],"segmentCount":1}' AS BLOB), 25, 0.04, NULL, 'x264', NULL, NULL, CAST('{"framesRendered":25,"segments":{"completed":1,"failed":0,"leased":0,"pending":0},"segmentsReused":0}' AS BLOB), NULL, NULL);
CREATE TABLE lost_segments (
  job TEXT NOT NULL REFERENCES lost_outputs (job) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  first_frame INTEGER NOT NULL,
  end_frame INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  expiries INTEGER NOT NULL,
  worker TEXT REFERENCES workers (id),
  chunk_sha256 TEXT,
  chunk_bytes INTEGER,
  delivery INTEGER REFERENCES deliveries (id),
  cost INTEGER NOT NULL,
  content TEXT,
  plan_offset INTEGER,
  plan_length INTEGER,
  plan_digest TEXT,
  assets BLOB, peak_memory INTEGER NOT NULL DEFAULT 0, method TEXT,
  PRIMARY KEY (job, number)
) STRICT, WITHOUT ROWID;
INSERT INTO lost_segments VALUES ('m5tqk2w8x1za', 0, 0, 25, 'completed', 1, 0, 'wy58hg87w82d', '8f5ecfdc8f0b1a2bfb59fe81168a8f8e49027547bae1de86050a20f76ff2b04e', 7, 1, 25000, 'ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73', 513, 2048, '37a680133bd09342f934afb8dd2c7d9e1b624da5f35e3a38adb103e37c055ed1', X'b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed', 314572800, 'blended');
CREATE TABLE leased_assets (
  job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  digest TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  path TEXT,
  blocks TEXT NOT NULL,
  PRIMARY KEY (job, digest)
) STRICT, WITHOUT ROWID;
INSERT INTO leased_assets VALUES ('a8nqh9ac1dtz', 'b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed', 134503, NULL, '8d1c5f3b7e2a4096b8d7c6e5f4a3b2c1908f7e6d5c4b3a29181706f5e4d3c2b1');
CREATE TABLE job_blobs (
  job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (job, name)
) STRICT;
INSERT INTO job_blobs VALUES ('m5tqk2w8x1za', 'project_assets', CAST('[{"isPlayed":true,"isRemote":false,"isShown":false,"name":"a.mp4","place":"a.mp4","reference":{"byteCount":134503,"digest":"b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed"},"shown":"a.mp4"}]' AS BLOB));
INSERT INTO job_blobs VALUES ('m5tqk2w8x1za', 'asset_digests', X'b1c47c1e63a389f2b217f9c7693b4d12d4ce211e2cc55ca9e995b5cfac5840ed');
INSERT INTO job_blobs VALUES ('m5tqk2w8x1za', 'plan_facts', CAST('{"codec":"h264","file":"aabebd9f1f68e6e080c260a1ec49d3d281fbddd5bf7e63c4bb7bb75ed1e2927b","fileType":"mp4","format":1,"frameCount":25,"frameDuration":"1/25","hash":"64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525","head":{"digest":"9f2e6d33a3717ee826353a404ba4618d1aeeb6879ad7936bce8ed5f46814924d","length":512,"offset":0},"pictures":[],"segmentCount":1}' AS BLOB));
INSERT INTO job_blobs VALUES ('ync1aeqtm6sk', 'concealed_sound', CAST('[{"asset":"1335c4e846dc426f793d8fca43f7769e5a3c309beb210be3f0395b53fb8158a8","duration":"1/50","time":"1/2"}]' AS BLOB));
INSERT INTO job_blobs VALUES ('ync1aeqtm6sk', 'first_concealed_sound', CAST('[{"asset":"1335c4e846dc426f793d8fca43f7769e5a3c309beb210be3f0395b53fb8158a8","duration":"1/50","time":"1/2"}]' AS BLOB));
CREATE TABLE concealment_summaries (
  sha256 TEXT PRIMARY KEY REFERENCES chunk_concealments (sha256) ON DELETE CASCADE,
  parts INTEGER NOT NULL,
  first_parts BLOB NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO concealment_summaries VALUES ('3f237ccd78990fe107366c8329c0493408c926628a69c3d6d6f47982bcd07ea1', 1, CAST('[{"asset":"3f237ccd78990fe107366c8329c0493408c926628a69c3d6d6f47982bcd07ea1","frames":[2,3],"time":1}]' AS BLOB));
CREATE TABLE attempt_logs (
  lease TEXT NOT NULL PRIMARY KEY REFERENCES attempts (token) ON DELETE CASCADE,
  log TEXT NOT NULL
) STRICT;
INSERT INTO attempt_logs VALUES ('Rsrb6PA9xvIQliPzuZF9GfVQ2Ew4tcuovdp23iai4E0', '2026-11-22T08:34:32.060Z coordinator: attempt 1 at segment 3 leased to worker rack-2
');
CREATE TABLE notifications (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  event TEXT NOT NULL,
  percent INTEGER,
  receiver TEXT NOT NULL,
  server TEXT NOT NULL,
  body BLOB NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  created_at REAL NOT NULL,
  next_at REAL NOT NULL,
  ended_at REAL,
  status INTEGER,
  error TEXT
) STRICT;
INSERT INTO notifications VALUES (1, 'bUnQ0b0pYw3kX1jz7mAr', 'tgwb30ns0gne', 'progress', 50, 'https://hooks.example.com/sheaf?key=k1', 'https://hooks.example.com', CAST('{"event":"progress"}' AS BLOB), 'delivered', 2, 1795329271.25, 1795329301.25, 1795329301.5, 204, NULL);
INSERT INTO notifications VALUES (2, 'rT5c9QeVx2Lh8sNd0uWg', 'hhhskaxda5e3', 'failed', NULL, 'mailto:ada@example.com', 'mail', CAST('{"event":"failed"}' AS BLOB), 'pending', 1, 1795329272.08, 1795329302.08, NULL, NULL, '/usr/sbin/sendmail ended with the exit code 75');
INSERT INTO notifications VALUES (3, 'Zk7pJ4mYb1Xf6vRq3oSe', 'gn4hnm9jfy30', 'cancelled', NULL, 'https://hooks.example.com/sheaf?key=k1', 'https://hooks.example.com', CAST('{"event":"cancelled"}' AS BLOB), 'failed', 9, 1795329273.11, 1795419273.11, 1795419273.5, 500, 'the receiver answered 500 Internal Server Error');
CREATE TABLE recordings (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  submission BLOB NOT NULL,
  submitter TEXT,
  key TEXT,
  state TEXT NOT NULL,
  created_at REAL NOT NULL,
  ended_at REAL,
  ignored BLOB,
  failure BLOB,
  outputs BLOB
) STRICT;
CREATE TABLE recording_parts (
  recording TEXT NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  part BLOB NOT NULL,
  losses BLOB,
  PRIMARY KEY (recording, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE recording_fragments (
  recording TEXT NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
  part INTEGER NOT NULL,
  number INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  has_gaps INTEGER NOT NULL,
  fragment BLOB NOT NULL,
  PRIMARY KEY (recording, part, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE recording_excerpts (
  recording TEXT NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
  part INTEGER NOT NULL,
  first_fragment INTEGER NOT NULL,
  excerpt BLOB NOT NULL,
  PRIMARY KEY (recording, part, first_fragment)
) STRICT, WITHOUT ROWID;
CREATE INDEX segments_by_chunk ON segments (chunk_sha256);
CREATE INDEX failures_by_segment ON failures (job, segment);
CREATE INDEX attempts_by_segment ON attempts (job, segment);
CREATE INDEX kept_chunks_by_sha256 ON kept_chunks (sha256);
CREATE INDEX kept_chunks_by_fingerprint ON kept_chunks (fingerprint);
CREATE INDEX kept_chunks_by_use ON kept_chunks (used_at);
CREATE INDEX jobs_by_idempotency_key ON jobs (idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX deliveries_by_sha256 ON deliveries (sha256);
CREATE INDEX deliveries_by_worker ON deliveries (worker);
CREATE INDEX deliveries_by_token ON deliveries (token);
CREATE INDEX distrusted_workers_by_name ON distrusted_workers (name);
CREATE INDEX segments_by_delivery ON segments (delivery);
CREATE INDEX kept_chunks_by_delivery ON kept_chunks (delivery);
CREATE INDEX held_chunks_by_delivery ON held_chunks (delivery);
CREATE INDEX lost_segments_by_chunk ON lost_segments (chunk_sha256);
CREATE INDEX lost_segments_by_delivery ON lost_segments (delivery);
CREATE INDEX concealed_segments ON segments (job, number, concealed)
  WHERE concealed IS NOT NULL;
CREATE INDEX attempts_by_start ON attempts (job, started_at, segment, number);
CREATE INDEX notifications_by_job ON notifications (job);
CREATE INDEX pending_notifications ON notifications (next_at) WHERE state = 'pending';
CREATE UNIQUE INDEX recordings_by_key ON recordings (coalesce(submitter, ''), key)
  WHERE key IS NOT NULL;
CREATE INDEX unfinished_recordings ON recordings (number)
  WHERE state NOT IN ('finished', 'failed');
CREATE INDEX gaps_of_recordings ON recording_fragments (recording) WHERE has_gaps = 1;
DELETE FROM sqlite_sequence;
INSERT INTO recordings VALUES (1, 'r3c0rd1ng000', X'7b226e616d65223a2263616d657261222c22736f75726365223a227564703a2f2f3233392e312e322e333a35303030222c226c656e677468223a39307d', 'ada', 'once', 'finished', 1790000000.0, 1790000090.0, X'5b2273747265616d20323a206974206973206e656974686572207069637475726573206e6f7220736f756e64225d', NULL, X'5b7b2266696c654e616d65223a2263616d6572612e6d7034222c2262797465436f756e74223a313030302c22736861323536223a2263646364636463646364636463646364636463646364636463646364636463646364636463646364636463646364636463646364636463646364636463646364227d5d');
INSERT INTO recording_parts VALUES ('r3c0rd1ng000', 1, X'7b226e756d626572223a312c227374617274223a302c22747261636b73223a5b7b226b696e64223a22766964656f222c22636f646563223a2268323634222c227769647468223a3634302c22686569676874223a3336302c2273616d706c6552617465223a302c226368616e6e656c73223a307d5d7d', X'7b226265666f72655374617274223a322c2264726f7070656447726f757073223a302c2264616d6167656453616d706c6573223a307d');
INSERT INTO recording_fragments VALUES ('r3c0rd1ng000', 1, 1, 1000, 0, X'7b226e756d626572223a312c227374617274223a302c22656e64223a312c2262797465436f756e74223a313030302c22736861323536223a2261626162616261626162616261626162616261626162616261626162616261626162616261626162616261626162616261626162616261626162616261626162222c2273616d706c65436f756e7473223a5b32355d2c22626567696e73576974684b65796672616d65223a747275652c2267617073223a5b5d7d');
INSERT INTO recording_excerpts VALUES ('r3c0rd1ng000', 1, 1, X'7b2272616e6765223a7b2270617274223a312c226669727374223a312c226c617374223a312c227374617274223a302c227368617265644672616d6573223a307d2c22736861323536223a2263646364636463646364636463646364636463646364636463646364636463646364636463646364636463646364636463646364636463646364636463646364222c2262797465436f756e74223a3930307d');
INSERT INTO sqlite_sequence VALUES ('jobs', 6);
INSERT INTO sqlite_sequence VALUES ('workers', 2);
INSERT INTO sqlite_sequence VALUES ('notifications', 3);
INSERT INTO sqlite_sequence VALUES ('recordings', 1);
PRAGMA user_version = 28;
COMMIT;
