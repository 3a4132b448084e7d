// What the page tells about a job beside its timeline.
import { secondsTaken } from "./job-card.js";
import { isFinal } from "./store.js";
import { bytes, count, fps, percent, plural, share, speed } from "./text.js";
import { clockOf, duration, elapsed, moment } from "./time.js";

/** The figures of a job: `[[word, value]]`. */
export const factsOf = (job) => {
  const total = job.frameCount,
    sum = job.segments.pending + job.segments.leased + job.segments.completed + job.segments.failed;
  const isRunning = !isFinal(job);
  return [
    total !== undefined &&
    [
      "Progress",
      job.isFollowing
        ? `${plural(job.framesRendered, "frame")} so far`
        : `${count(job.framesRendered)} of ${count(total)} frames · ${percent(job.framesRendered, total)}`,
    ],
    sum > 0 &&
    [
      "Segments",
      [
        `${count(job.segments.completed)} of ${count(sum)} completed`,
        job.segments.leased > 0 && `${count(job.segments.leased)} rendering`,
        job.segments.failed > 0 && `${count(job.segments.failed)} failed`,
      ].filter(Boolean).join(" · "),
    ],
    isRunning && job.framesPerSecond !== undefined &&
    [
      "Speed",
      [fps(job.framesPerSecond), job.frameDuration && speed(job.framesPerSecond, job.frameDuration)].filter(Boolean)
        .join(" · "),
    ],
    isRunning && job.secondsRemaining !== undefined && ["Left", elapsed(job.secondsRemaining)],
    [isRunning ? "Elapsed" : "Took", (isRunning ? elapsed : duration)(secondsTaken(job))],
    job.framesCopied !== undefined && ["Copied", share(job.framesCopied, total)],
    job.framesReused !== undefined && ["Reused", share(job.framesReused, total)],
    job.framesEncoded !== undefined && ["Encoded", share(job.framesEncoded, total)],
    job.encodedBecause?.length > 0 &&
    ["Encoded because", job.encodedBecause.map((each) => `${each.reason} (${share(each.frameCount, total)})`).join("; ")],
    job.loudness &&
    [
      "Loudness",
      job.loudness.after === undefined || job.loudness.after === null
        ? "silent"
        : `${job.loudness.before.toFixed(1).replace("-", "−")} → ${
          job.loudness.after.toFixed(1).replace("-", "−")
        } LUFS`,
    ],
    total !== undefined && job.frameDuration &&
    [job.isFollowing ? "Length so far" : "Length", `${clockOf(total * job.frameDuration)} · ${Math.round(100 / job.frameDuration) / 100} fps`],
    job.output && ["Output", `${job.output.fileName} · ${bytes(job.output.byteCount)}`],
    job.outputDeletion &&
    [
      "Output",
      `${job.outputDeletion.fileName} was deleted on ${moment(job.outputDeletion.deletedAt)}, because ${job.outputDeletion.reason}. ` +
      "Submit the project again to make it again.",
    ],
    job.concealedCount && ["Concealed damage", plural(job.concealedCount, "part")],
    job.submitter && ["Owner", job.submitter],
    ["Priority", String(job.priority ?? 0)],
    ["Submitted", moment(job.createdAt)],
    job.finishedAt &&
    [{ completed: "Completed", failed: "Failed", cancelled: "Cancelled" }[job.state], moment(job.finishedAt)],
  ].filter(Boolean);
};
