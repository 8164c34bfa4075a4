/** The calls whose way through the code is measured, with the most files each may enter. */
export const limits = { create: 34, pay: 50, payment: 19, refund: 36 } as const;

export type Trip = keyof typeof limits;

/** Files that each call enters, one per process that serves it. */
const certain: Readonly<Record<Trip, readonly string[]>> = {
  create: ['src/api/payments/create'],
  pay: ['src/api/payments/pay', 'src/activities/authorize'],
  payment: ['src/api/payments/read'],
  refund: ['src/api/refunds/write'],
};

/**
 * Returns the calls, with the file, whose measured files lack one that the call enters for certain: then the
 * figures are wrong, because a process was not measured or its modules were bundled.
 */
export function notMeasured(files: Readonly<Record<Trip, readonly string[]>>): string[] {
  return Object.entries(certain).flatMap(([trip, expected]) =>
    expected.filter((file) => !files[trip as Trip].includes(file)).map((file) => `${trip}: ${file}`),
  );
}

/** Files of `src` that each repetition of one call entered, by repetition. */
type Windows = readonly (readonly string[])[];

/**
 * Returns the files that every repetition of a call entered, sorted. What runs beside it by the clock
 * (sweeps, the request log's write) is in some repetitions only and falls out.
 */
export function filesOfTrip(windows: Windows): string[] {
  const [first = [], ...rest] = windows.map((files) => new Set(files));
  return [...first].filter((file) => rest.every((files) => files.has(file))).toSorted();
}

/** Returns the result of all trips as a table, files per room, with the limit of each. */
export function tripTable(files: Readonly<Record<Trip, readonly string[]>>): string {
  const lines = Object.entries(limits).map(([trip, limit]) => {
    const entered = files[trip as Trip];
    const verdict = entered.length <= limit ? 'within' : 'OVER';
    return `${trip.padEnd(8)} ${String(entered.length).padStart(3)} files, ${verdict} ${limit}: ${roomsOf(entered)}`;
  });
  return lines.join('\n');
}

/** Files per room, the largest first. */
function roomsOf(files: readonly string[]): string {
  const rooms = new Map<string, number>();
  for (const file of files) {
    const room = file.split('/').slice(1, -1).slice(0, 2).join('/') || '.';
    rooms.set(room, (rooms.get(room) ?? 0) + 1);
  }
  return [...rooms]
    .toSorted(([, a], [, b]) => b - a)
    .map(([room, count]) => `${room} ${count}`)
    .join(', ');
}
