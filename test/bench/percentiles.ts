export interface Latencies {
  p50: number;
  p95: number;
  p99: number;
}

/**
 * Returns the smallest measured value that at least `share` (0 to 1) of the values do not exceed (nearest
 * rank). NaN for no values. `sorted` ascends.
 */
export function percentile(sorted: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** Returns p50, p95 and p99 of times in any order and unit; all NaN for none. */
export function latenciesOf(times: readonly number[]): Latencies {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
  };
}
