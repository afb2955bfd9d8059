// Reads the document that is inlined in the page: decodes its buffers and checks the page's assumptions.
//
// The command writes correct documents. The checks are for people who write their own documents: a bad index is a
// message with its place, not an empty picture.

import type { BufferText, BufferView, Data, Run, ViewDocument } from "./format";

export class DocumentError extends Error {}

type Numbers = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

const SCALARS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array } as const;

/** A document with its buffers decoded. */
export class Loaded {
  constructor(
    readonly document: ViewDocument,
    private readonly buffers: ArrayBuffer[],
  ) {}

  /** The numbers of a list, wherever they are. */
  numbers(data: Data, where: string): Numbers {
    if (Array.isArray(data)) return Float64Array.from(data);
    const type = SCALARS[data.type];
    const buffer = this.buffers[data.buffer];
    if (!type) throw new DocumentError(`${where}: unknown type of numbers`);
    if (!buffer) throw new DocumentError(`${where}: there is no buffer ${data.buffer}`);
    const size = type.BYTES_PER_ELEMENT;
    if (data.offset % size !== 0 || data.offset + data.count * size > buffer.byteLength) {
      throw new DocumentError(`${where}: the view does not fit into buffer ${data.buffer}`);
    }
    return new type(buffer, data.offset, data.count);
  }

  /** Vertices as floats, with the quantisation undone. */
  vertices(data: Data, box: [number[], number[]] | undefined, where: string): Float32Array {
    const numbers = this.numbers(data, where);
    if (numbers.length % 3 !== 0) throw new DocumentError(`${where}: vertices need three numbers each`);
    const quantised = isView(data) && (data.type === "u16" || data.type === "u8");
    if (!quantised) return Float32Array.from(numbers);
    if (!box) throw new DocumentError(`${where}: quantised vertices need a box`);
    const largest = (data as BufferView).type === "u16" ? 65535 : 255;
    const [low, high] = box;
    const out = new Float32Array(numbers.length);
    for (let axis = 0; axis < 3; axis++) {
      const from = low[axis];
      const scale = (high[axis] - from) / largest;
      for (let i = axis; i < out.length; i += 3) out[i] = from + numbers[i] * scale;
    }
    return out;
  }
}

const isView = (data: Data): data is BufferView => !Array.isArray(data);

/** Parses and checks the text of a document. */
export async function load(text: string): Promise<Loaded> {
  let document: ViewDocument;
  try {
    document = JSON.parse(text) as ViewDocument;
  } catch (error) {
    throw new DocumentError(`not JSON: ${(error as Error).message}`);
  }
  if (document?.format !== "firsttouch-view") throw new DocumentError("not a firsttouch document");
  if (document.version !== 1) throw new DocumentError(`version ${document.version} is not known to this page`);
  for (const list of ["buffers", "geometries", "bodies", "runs"] as const) {
    if (!Array.isArray(document[list])) throw new DocumentError(`"${list}" is missing`);
  }
  const buffers = await Promise.all(document.buffers.map(decode));
  // The text of the buffers is not needed again, and may be large.
  for (const buffer of document.buffers) buffer.data = "";
  check(document);
  return new Loaded(document, buffers);
}

function check(document: ViewDocument): void {
  const { bodies, geometries, runs } = document;
  if (runs.length === 0) throw new DocumentError("there is no run");
  bodies.forEach((body, index) => {
    for (const shape of body.shapes) {
      if (!geometries[shape.geometry]) {
        throw new DocumentError(`body ${index}: there is no geometry ${shape.geometry}`);
      }
    }
  });
  runs.forEach((run, index) => checkRun(run, bodies.length, `run ${index}`));
}

function checkRun(run: Run, bodies: number, where: string): void {
  if (!(run.duration > 0 && Number.isFinite(run.duration))) throw new DocumentError(`${where}: no duration`);
  const known = (index: number, what: string): void => {
    if (!(Number.isInteger(index) && index >= 0 && index < bodies)) {
      throw new DocumentError(`${where}, ${what}: there is no body ${index}`);
    }
  };
  run.motions.forEach((motion, i) => known(motion.body, `motion ${i}`));
  run.answer.bodies?.forEach((body) => known(body, "answer"));
  run.pairs?.forEach((pair, i) => pair.bodies.forEach((body) => known(body, `pair ${i}`)));
}

async function decode(buffer: BufferText, index: number): Promise<ArrayBuffer> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = fromBase64(buffer.data);
    if (buffer.encoding === "deflate-base64") {
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    }
  } catch (error) {
    throw new DocumentError(`buffer ${index}: ${(error as Error).message}`);
  }
  if (bytes.byteLength !== buffer.bytes) {
    throw new DocumentError(`buffer ${index}: ${bytes.byteLength} bytes where ${buffer.bytes} are announced`);
  }
  return bytes.buffer;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  // New browsers decode 20 times faster than the loop below.
  const native = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
