// Writes documents and pages as FORMAT.md says: in a few lines, the work of the command in Rust.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";

const TYPES = new Map([
  [Uint8Array, "u8"],
  [Uint16Array, "u16"],
  [Uint32Array, "u32"],
  [Float32Array, "f32"],
  [Float64Array, "f64"],
]);

/** Collects numbers into one buffer. */
export class Pack {
  #chunks = [];
  #length = 0;

  view(numbers) {
    const type = TYPES.get(numbers.constructor);
    const size = numbers.BYTES_PER_ELEMENT;
    const padding = (size - (this.#length % size)) % size;
    this.#chunks.push(Buffer.alloc(padding), Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength));
    const offset = this.#length + padding;
    this.#length = offset + numbers.byteLength;
    return { buffer: 0, offset, count: numbers.length, type };
  }

  /** Vertices as 16-bit integers inside their box; several frames share one box. */
  vertices(...frames) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (const frame of frames) {
      frame.forEach((v, i) => {
        low[i % 3] = Math.min(low[i % 3], v);
        high[i % 3] = Math.max(high[i % 3], v);
      });
    }
    const views = frames.map((frame) => {
      const q = new Uint16Array(frame.length);
      for (let i = 0; i < q.length; i++) {
        const extent = high[i % 3] - low[i % 3];
        q[i] = extent > 0 ? Math.round(((frame[i] - low[i % 3]) / extent) * 65535) : 0;
      }
      return this.view(q);
    });
    return { box: [low, high], views };
  }

  mesh({ positions, indices }) {
    const { box, views } = this.vertices(positions);
    return { kind: "mesh", box, positions: views[0], indices: this.indices(indices, positions.length / 3) };
  }

  indices(list, vertices) {
    return this.view(vertices <= 65536 ? Uint16Array.from(list) : Uint32Array.from(list));
  }

  buffers(encoding = "deflate-base64") {
    if (this.#length === 0) return [];
    const bytes = Buffer.concat(this.#chunks);
    const data = (encoding === "base64" ? bytes : deflateSync(bytes, { level: 6 })).toString("base64");
    return [{ encoding, bytes: bytes.length, data }];
  }
}

export const template = readFileSync(
  fileURLToPath(new URL("../../crates/firsttouch-io/assets/viewer.html", import.meta.url)),
  "utf8",
);

/** The page that shows a document. */
export function page(document) {
  const json = (typeof document === "string" ? document : JSON.stringify(document)).replaceAll("<", "\\u003c");
  const [before, after, ...rest] = template.split("<!-- firsttouch-document -->");
  if (after === undefined || rest.length > 0) throw new Error("the template must have exactly one place for the document");
  return `${before}<script type="application/json" id="firsttouch-document">${json}</script>${after}`;
}
