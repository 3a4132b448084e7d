// Hashes files away from the page: receives `{id, file}`, sends `{id, done}` as it proceeds and `{id, digest}` at the end.
import { SHA256 } from "./sha256.js";

const pieceLength = 8 << 20;

onmessage = async ({ data: { id, file } }) => {
  try {
    const hash = new SHA256();
    for (let place = 0; place < file.size; place += pieceLength) {
      hash.update(new Uint8Array(await file.slice(place, place + pieceLength).arrayBuffer()));
      postMessage({ id, done: Math.min(file.size, place + pieceLength) });
    }
    postMessage({ id, digest: hash.digest() });
  } catch (error) {
    postMessage({ id, problem: String(error.message ?? error) });
  }
};
