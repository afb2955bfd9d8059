// Text for people: numbers, times and names. Names come from files of any author.

/** Characters that are invisible, or that reorder the text around them. */
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A name with its invisible characters written out, so that the text on the screen is the whole name. */
export function visible(name: string): string {
  const shown = name.replace(UNSEEN, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
  return shown.trim() === "" ? `“${shown}”` : shown;
}

/** All digits: the shortest text that gives the same double. */
export const exact = (value: number): string => String(value);

/** A few digits, for places where a number is read at a glance. */
export function brief(value: number, digits = 4): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(digits - 1).replace(/\.?0*e\+?/, "e");
  return String(Number(value.toPrecision(digits)));
}

/** A lower bound in a few digits: never more than it is. Not for negative values. */
export const briefDown = (value: number, digits = 4): string => directed(value, digits, -1);

/** An upper bound in a few digits: never less than it is. Not for negative values. */
export const briefUp = (value: number, digits = 4): string => directed(value, digits, 1);

function directed(value: number, digits: number, sign: 1 | -1): string {
  const rounded = Number(value.toPrecision(digits));
  const wrong = sign > 0 ? rounded < value : rounded > value;
  if (!wrong || value <= 0) return brief(value, digits);
  // One unit of the last digit shown, towards the safe side.
  const unit = 10 ** (Math.floor(Math.log10(value)) - digits + 1);
  return brief(rounded + sign * unit, digits);
}

/** A time with as many decimals as the whole duration deserves; cut off, as clocks do, except for rounding errors. */
export function clock(time: number, duration: number): string {
  const decimals = Math.max(0, Math.min(8, 4 - Math.floor(Math.log10(duration))));
  const units = 10 ** decimals;
  return (Math.floor(time * units + 1e-6) / units).toFixed(decimals);
}

/** A number with its unit, if there is one. */
export const withUnit = (text: string, unit: string | undefined): string => (unit ? `${text} ${visible(unit)}` : text);

export const count = (value: number): string => value.toLocaleString("en-US");

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** An element with a class, some text or children. Text is only ever set as text. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A name from a file: isolated from the direction of the text around it, cut off with dots, whole in its tooltip. */
export function nameElement(name: string, className = "name"): HTMLElement {
  const shown = visible(name);
  return el("bdi", { class: className, title: shown }, shown);
}
