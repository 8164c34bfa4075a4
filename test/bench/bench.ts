import { type Call, closedLoop } from './drive.ts';
import { type Figures, ratioTo } from './figures.ts';
import { type FloorName, Floors } from './floors.ts';
import { Http } from './http.ts';
import { Meter } from './meter.ts';
import type { BenchOptions } from './options.ts';
import { Shop } from './shop.ts';
import type { BenchStack } from './stack.ts';

/** The tools of every section. */
export interface Bench {
  options: BenchOptions;
  stack: BenchStack;
  http: Http;
  shop: Shop;
  meter: Meter;
  floors: Floors;
  /** Receives a step's figures. They are shown at once, and in the table at the end. */
  add: (figures: Figures) => void;
  logLine: (line: string) => void;
  signal: AbortSignal;
}

/** The call to measure, prepared for a step with its payments. */
export interface Prepared {
  call: Call;
  /** The most calls for which there are payments; undefined when there is no limit. */
  maxCalls?: number;
  /** Workflows to which the calls add events. */
  sample?: readonly string[];
}

export const callerCounts = [1, 4, 16] as const;

/** Runs a prepared call with `callers` callers; its floor is measured just before. */
export async function measureCall(
  bench: Bench,
  step: { section: string; name: string; callers: (typeof callerCounts)[number]; floor: FloorName | null },
  prepare: (maxCalls: number) => Promise<Prepared>,
): Promise<Figures> {
  const { options, meter, floors, signal, add } = bench;
  const { callers } = step;
  const floor = step.floor === null ? null : await floors.of(step.floor, callers);
  const prepared = await prepare(options.sizes.consumed[callers]);
  const figures = await meter.measure({ ...step, sample: prepared.sample ?? [] }, () =>
    closedLoop(prepared.call, {
      callers,
      maxCalls: prepared.maxCalls ?? Number.POSITIVE_INFINITY,
      minCalls: options.sizes.minCalls[callers],
      seconds: options.sizes.callSeconds,
      signal,
    }),
  );
  const compared: Figures = {
    ...figures,
    floor: step.floor,
    ratio: floor === null ? null : ratioTo(floor, figures),
  };
  add(compared);
  return compared;
}
