// Colours of the scene. Those of the page around it are in style.css; the two are kept alike.

import { Color } from "three";

export type ThemeName = "light" | "dark";

export interface Theme {
  name: ThemeName;
  /** The first and the second side of the answer. */
  sides: [Color, Color];
  touch: Color;
  free: Color;
  undecided: Color;
  /** Bodies that are not part of the answer; those that move and those at rest. */
  moving: Color[];
  resting: Color[];
  crease: Color;
  creaseOpacity: number;
  ghostOpacity: number;
  grid: Color;
  shadow: number;
  sky: Color;
  ground: Color;
  selected: Color;
}

const colors = (...texts: string[]): Color[] => texts.map((text) => new Color(text));

export const THEMES: Record<ThemeName, Theme> = {
  light: {
    name: "light",
    sides: [new Color("#ee8a2b"), new Color("#3f7fe0")],
    touch: new Color("#e0183f"),
    free: new Color("#17955c"),
    undecided: new Color("#8054d0"),
    moving: colors("#8fb8b4", "#a9a3cf", "#9dbb8c", "#cfa5b4", "#c9b57e", "#8fb2d0"),
    resting: colors("#c3c8d0", "#cdc8be", "#bfc9c4", "#cbc3cc", "#c6cbbf", "#bcc6d1"),
    crease: new Color("#27313f"),
    creaseOpacity: 0.32,
    ghostOpacity: 0.3,
    grid: new Color("#6d7c92"),
    shadow: 0.2,
    sky: new Color("#ffffff"),
    ground: new Color("#aeb4c0"),
    selected: new Color("#ffd84a"),
  },
  dark: {
    name: "dark",
    sides: [new Color("#f59a3e"), new Color("#5b98f5")],
    touch: new Color("#ff4468"),
    free: new Color("#36c583"),
    undecided: new Color("#ab86f5"),
    moving: colors("#6f9d99", "#8b85b8", "#7f9f6e", "#b18496", "#a8955f", "#6f94b5"),
    resting: colors("#69717d", "#746f66", "#66716c", "#726a74", "#6c7265", "#626d79"),
    crease: new Color("#e6edf7"),
    creaseOpacity: 0.26,
    ghostOpacity: 0.3,
    grid: new Color("#8b9bb3"),
    shadow: 0.42,
    sky: new Color("#f2f6ff"),
    ground: new Color("#3a4150"),
    selected: new Color("#ffe27a"),
  },
};
