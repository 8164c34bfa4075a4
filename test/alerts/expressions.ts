import { z } from 'zod';

const dashboardSchema = z.object({
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).optional() })),
});

/** Returns the expressions of a Grafana dashboard. */
export const dashboardExpressions = (json: string): string[] =>
  dashboardSchema
    .parse(JSON.parse(json))
    .panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** Returns what an expression reads: names of series with their matchers. */
export const selectorsOf = (expression: string): string[] =>
  [
    ...expression.matchAll(/\b(?:card_payments_\w+|temporal_\w+|nodejs_\w+|process_\w+|up)\b(?:\{[^}]*\})?/g),
  ].map(([selector]) => selector);
