// What the browser can tell of a media file: its length, its size, and a picture.

const patience = 8000;

/** The kind of a file: "video", "image", "audio" or "project". */
export const kindOf = (file) => {
  if (/\.json$/i.test(file.name)) return "project";
  if (file.type.startsWith("audio/") || /\.(mp3|m4a|wav|flac|aac|ogg|opus)$/i.test(file.name)) return "audio";
  if (file.type.startsWith("image/") || /\.(png|jpe?g|webp|heic|avif|svg|tiff?|bmp)$/i.test(file.name)) {
    return "image";
  }
  return "video";
};

const event = (target, name) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("too slow")), patience);
    target.addEventListener(name, () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
    target.addEventListener("error", () => {
      clearTimeout(timer);
      reject(new Error("unreadable"));
    }, { once: true });
  });

/**
 * Reads a file: `{duration, width, height}`, and draws a picture of it at a time on a canvas. Returns `undefined` for
 * media that this browser cannot play, which the farm may well be able to read.
 */
export const look = async (file, canvas, time = 0) => {
  const url = URL.createObjectURL(file);
  try {
    if (kindOf(file) === "image") {
      const picture = new Image();
      const loaded = event(picture, "load");
      picture.src = url;
      await loaded;
      draw(canvas, picture, picture.naturalWidth, picture.naturalHeight);
      return { width: picture.naturalWidth, height: picture.naturalHeight };
    }
    const video = document.createElement("video");
    [video.muted, video.preload] = [true, "auto"];
    const loaded = event(video, "loadedmetadata");
    video.src = url;
    await loaded;
    const found = {
      duration: Number.isFinite(video.duration) ? video.duration : undefined,
      width: video.videoWidth,
      height: video.videoHeight,
    };
    if (found.width > 0 && canvas) {
      const sought = event(video, "seeked");
      video.currentTime = Math.min(
        time > 0 ? time : (found.duration ?? 0) * 0.1,
        Math.max(0, (found.duration ?? 0) - 0.1),
      );
      await sought;
      draw(canvas, video, found.width, found.height);
    }
    video.removeAttribute("src");
    video.load();
    return found;
  } catch {
    return undefined;
  } finally {
    URL.revokeObjectURL(url);
  }
};

const draw = (canvas, source, width, height) => {
  const context = canvas.getContext("2d"), factor = Math.max(canvas.width / width, canvas.height / height);
  context.drawImage(
    source,
    (canvas.width - width * factor) / 2,
    (canvas.height - height * factor) / 2,
    width * factor,
    height * factor,
  );
  canvas.classList.add("drawn");
};
