// The items that a user has selected in a list, for actions on many at once.
export class Selection {
  #ids = new Set();
  #changed;
  constructor(changed) {
    this.#changed = changed;
  }
  get size() {
    return this.#ids.size;
  }
  get ids() {
    return [...this.#ids];
  }
  has(id) {
    return this.#ids.has(id);
  }
  toggle(id, isOn) {
    isOn ? this.#ids.add(id) : this.#ids.delete(id);
    this.#changed();
  }
  /** Selects exactly these. */
  set(ids) {
    this.#ids = new Set(ids);
    this.#changed();
  }
  /** Drops those that are gone. */
  keep(exists) {
    for (const id of this.#ids) if (!exists(id)) this.#ids.delete(id);
  }
}
