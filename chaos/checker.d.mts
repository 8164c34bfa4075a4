/** One call of a client; `result`: ok, fail (definite refusal), unknown (no answer or 503). Instants in epoch ms. */
export interface Call {
  client: number;
  op: string;
  paymentId: string | null;
  key: string | null;
  startedAt: number;
  endedAt: number;
  result: 'ok' | 'fail' | 'unknown';
  status: number | null;
  code: string | null;
  retryAfter: string | null;
  data: Record<string, unknown> | null;
  text: string;
}

export interface Facts {
  payments: Record<string, unknown>[];
  attempts: Record<string, unknown>[];
  events: Record<string, unknown>[];
  keys: { key: string; paymentId: string }[];
  secrets: { paymentId: string }[];
  idle: { pid: number }[];
  history: Call[];
  ledgers: Map<string, { attemptId: string; amountCents: number; status: string }[]>;
  workflows: Map<string, string>;
  received: { id: string; body: string; valid: boolean }[];
  logs: { name: string; text: string }[];
  canaries: string[];
}

export interface Violation {
  invariant: string;
  paymentId: string | null;
  detail: string;
}

export function check(facts: Facts): Violation[];
