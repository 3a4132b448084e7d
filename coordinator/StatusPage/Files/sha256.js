// SHA-256 (FIPS 180-4) of data that arrives in pieces, which the browser's own function does not offer.
const primes = (() => {
  const found = [];
  for (let n = 2; found.length < 64; n++) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
})();
const fraction = (value) => Math.floor((value - Math.floor(value)) * 2 ** 32) | 0;
const constants = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));

export class SHA256 {
  #state = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
  #schedule = new Int32Array(64);
  #rest = new Uint8Array(64);
  #restLength = 0;
  #length = 0;

  update(bytes) {
    this.#length += bytes.length;
    let place = 0;
    if (this.#restLength > 0) {
      const missing = Math.min(64 - this.#restLength, bytes.length);
      this.#rest.set(bytes.subarray(0, missing), this.#restLength);
      this.#restLength += missing;
      place = missing;
      if (this.#restLength < 64) return this;
      this.#block(this.#rest, 0);
      this.#restLength = 0;
    }
    for (; place + 64 <= bytes.length; place += 64) this.#block(bytes, place);
    this.#rest.set(bytes.subarray(place));
    this.#restLength = bytes.length - place;
    return this;
  }

  /** The digest in hexadecimal. Ends the calculation. */
  digest() {
    const bits = this.#length * 8,
      end = new Uint8Array(this.#restLength < 56 ? 64 : 128),
      view = new DataView(end.buffer);
    end.set(this.#rest.subarray(0, this.#restLength));
    end[this.#restLength] = 0x80;
    view.setUint32(end.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(end.length - 4, bits >>> 0);
    for (let place = 0; place < end.length; place += 64) this.#block(end, place);
    return [...this.#state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }

  #block(bytes, place) {
    const w = this.#schedule;
    for (let i = 0; i < 16; i++, place += 4) {
      w[i] = bytes[place] << 24 | bytes[place + 1] << 16 | bytes[place + 2] << 8 | bytes[place + 3];
    }
    for (let i = 16; i < 64; i++) {
      const a = w[i - 15], b = w[i - 2];
      w[i] = (w[i - 16] + w[i - 7] + ((a >>> 7 | a << 25) ^ (a >>> 18 | a << 14) ^ a >>> 3) +
        ((b >>> 17 | b << 15) ^ (b >>> 19 | b << 13) ^ b >>> 10)) | 0;
    }
    let [a, b, c, d, e, f, g, h] = this.#state;
    for (let i = 0; i < 64; i++) {
      const first =
        (h + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)) + (e & f ^ ~e & g) + constants[i] +
          w[i]) | 0;
      const second = (((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + (a & b ^ a & c ^ b & c)) |
        0;
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    const s = this.#state;
    s[0] += a;
    s[1] += b;
    s[2] += c;
    s[3] += d;
    s[4] += e;
    s[5] += f;
    s[6] += g;
    s[7] += h;
  }
}
