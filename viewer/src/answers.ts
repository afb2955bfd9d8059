// Answers in words, and their meaning for each body and each stretch of time.

import type { Answer, AnswerWord, Pair, Run, ViewDocument } from "./format";
import { briefDown, exact, visible, withUnit } from "./text";

export const WORDS: Record<AnswerWord, string> = {
  free: "Free",
  touch: "Touch",
  touching_at_start: "Touching at the start",
  undecided: "Undecided",
};

export const isTouch = (answer: Answer): boolean => answer.answer === "touch" || answer.answer === "touching_at_start";

/** The time of a touch in the run, if there is one. */
export function touchTime(answer: Answer): number | undefined {
  if (answer.answer === "touching_at_start") return answer.time ?? 0;
  return answer.answer === "touch" ? (answer.time ?? answer.toi) : undefined;
}

/** Freedom is proven before this time. */
export function provenUntil(answer: Answer, duration: number): number {
  switch (answer.answer) {
    case "free":
      return duration;
    case "touching_at_start":
      return 0;
    case "touch":
      return answer.free_until ?? touchTime(answer) ?? 0;
    case "undecided":
      return answer.free_until ?? 0;
  }
}

/** One sentence that states the proof. */
export function proof(run: Run, doc: ViewDocument): string {
  const { answer, duration } = run;
  const time = (value: number): string => withUnit(exact(value), doc.time_unit);
  const apart = doc.min_separation ? `comes closer than ${withUnit(exact(doc.min_separation), doc.length_unit)}` : "touches";
  const where = answer.segment === undefined ? "" : ` of segment ${answer.segment}`;
  switch (answer.answer) {
    case "free":
      return `Proven: nothing ${apart} at any time in [0, ${exact(duration)}].`;
    case "touch": {
      const toi = answer.toi ?? touchTime(answer)!;
      const until = answer.free_until ?? touchTime(answer)!;
      if (until < touchTime(answer)!)
        return `A touch at t = ${time(toi)}${where}. Proven: nothing ${apart} before t = ${time(until)}.`;
      return `Proven: nothing ${apart} before t = ${time(toi)}${where}.`;
    }
    case "touching_at_start":
      return answer.segment ? `The bodies touch at the start of segment ${answer.segment}.` : "The bodies touch at time 0.";
    case "undecided":
      return `Proven: nothing ${apart} before t = ${time(answer.free_until ?? 0)}. There the budget of the search ran out.`;
  }
}

/** The known answer for one body: the earliest of its pairs' answers. */
export interface BodyAnswer {
  word: AnswerWord;
  text: string;
}

export function bodyAnswers(run: Run, doc: ViewDocument): BodyAnswer[] {
  const until = provenUntil(run.answer, run.duration);
  const shortest = (value: number): string => withUnit(briefDown(value), doc.time_unit);
  // A body is as free as the whole, unless one of its pairs says otherwise.
  const free: BodyAnswer =
    run.answer.answer === "free"
      ? { word: "free", text: "free" }
      : { word: "free", text: until > 0 ? `free until ${shortest(until)}` : "" };
  const answers: BodyAnswer[] = doc.bodies.map(() => free);
  const earliest = doc.bodies.map(() => Infinity);
  const consider = (answer: Answer): void => {
    if (answer.answer === "free") return;
    const time = touchTime(answer) ?? provenUntil(answer, run.duration);
    const word = answer.answer;
    const text =
      word === "undecided" ? `undecided from ${shortest(time)}` : word === "touch" ? `touch ${shortest(time)}` : "at the start";
    for (const body of answer.bodies ?? []) {
      if (time < earliest[body]) {
        earliest[body] = time;
        answers[body] = { word, text };
      }
    }
  };
  consider(run.answer);
  run.pairs?.forEach(consider);
  if (run.pairs && doc.mode === "all") {
    const allowed = new Set<number>();
    const checked = new Set<number>();
    for (const pair of run.pairs)
      for (const body of pair.bodies) (pair.search?.stage === "allowed" ? allowed : checked).add(body);
    // If every pair was checked to the end, a body without a touch is free to the end.
    doc.bodies.forEach((_, i) => {
      if (earliest[i] !== Infinity) return;
      if (checked.has(i)) answers[i] = { word: "free", text: "free" };
      else if (allowed.has(i)) answers[i] = { word: "free", text: "not checked" };
    });
  }
  return answers;
}

/** The two names of a pair, as text. */
export const pairNames = (pair: Pair, doc: ViewDocument): [string, string] => [
  visible(doc.bodies[pair.bodies[0]].name),
  visible(doc.bodies[pair.bodies[1]].name),
];

export const STAGES: Record<string, string> = {
  allowed: "allowed, not checked",
  boxes_apart: "boxes apart",
  later: "later than the touch",
  advanced: "advanced",
};
