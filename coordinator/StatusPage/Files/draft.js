// What a user has begun to submit, kept in the browser (IndexedDB) so that a reload loses nothing.

/** Files up to this size are kept with the draft. Larger ones have to be chosen again after a reload. */
const keptSize = 256 << 20;
const name = "sheaf", table = "drafts", key = "current";

const database = () =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(table);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const access = async (mode, work) => {
  const opened = await database();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = opened.transaction(table, mode), request = work(transaction.objectStore(table));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    opened.close();
  }
};

/** The draft, or `undefined`. A browser may refuse to keep anything. */
export const loadDraft = () => access("readonly", (store) => store.get(key)).catch(() => undefined);

/** What of a submission is kept. */
export const draftOf = ({ clips, files, settings, project, isSubmitting, key }) => {
  let kept = 0;
  const entries = [...files.values()].map(({ name, size, modified, digest, file }) => {
    const isKept = file && size <= keptSize && kept + size <= 4 * keptSize;
    if (isKept) kept += size;
    return { name, size, modified, digest, file: isKept ? file : undefined };
  });
  return { clips: clips.map((clip) => ({ ...clip })), files: entries, settings, project, isSubmitting, key };
};

let last = Promise.resolve();
/** Keeps a draft, after those that were kept before. */
export const keepDraft = (draft) =>
  last = last.then(() => access("readwrite", (store) => store.put(draft, key))).catch(() => {});

/** Forgets the draft. */
export const dropDraft = () =>
  last = last.then(() => access("readwrite", (store) => store.delete(key))).catch(() => {});
