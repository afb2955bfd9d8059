// Icons as paths on a grid of 24, drawn with lines.

const PATHS: Record<string, string> = {
  play: "M7 4.5v15l12.5-7.5z",
  pause: "M7.5 5v14M16.5 5v14",
  start: "M6 5v14M19 5.5v13L9.5 12z",
  end: "M18 5v14M5 5.5v13l9.5-6.5z",
  back: "M15 6l-6 6 6 6",
  forward: "M9 6l6 6-6 6",
  touch: "M12 3v4M12 17v4M3 12h4M17 12h4M12 9a3 3 0 1 0 .01 0",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  zoom: "M10.5 4a6.5 6.5 0 1 0 .01 0M15.5 15.5L20.5 20.5M10.5 7.5v6M7.5 10.5h6",
  ghosts: "M5 20V10a7 7 0 0 1 14 0v10l-3-2-2 2-2-2-2 2-2-2zM9.5 10v1M14.5 10v1",
  shapes: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9",
  light:
    "M12 8a4 4 0 1 0 .01 0M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4",
  dark: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
  help: "M9 9a3 3 0 1 1 4.2 2.8c-.8.4-1.2 1-1.2 2.2M12 17.5v.5",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.2a2.8 2.8 0 1 0 .01 0",
  hidden:
    "M3 3l18 18M6 7.5C3.8 9.2 2.5 12 2.5 12S6 18.5 12 18.5c1.6 0 3-.4 4.2-1M10 5.7c.6-.1 1.3-.2 2-.2 6 0 9.5 6.5 9.5 6.5s-.9 1.7-2.6 3.3",
};

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name] ?? "");
  svg.append(path);
  return svg;
}

/** A button with an icon, an accessible name and a tooltip that names its key. */
export function iconButton(name: string, label: string, key: string | undefined, act: () => void): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "tool";
  button.setAttribute("aria-label", label);
  button.title = key ? `${label} (${key})` : label;
  if (key) button.setAttribute("aria-keyshortcuts", key === "space" ? "Space" : key);
  button.append(icon(name));
  button.addEventListener("click", act);
  return button;
}

/** Another icon and name for the same button. */
export function relabel(button: HTMLButtonElement, name: string, label: string, key?: string): void {
  button.replaceChildren(icon(name));
  button.setAttribute("aria-label", label);
  button.title = key ? `${label} (${key})` : label;
}
