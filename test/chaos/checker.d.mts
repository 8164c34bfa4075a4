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
  keys: { key: string; resourceId: string }[];
  refunds: { id: string; paymentId: string; amountCents: number; status: string }[];
  disputes: { id: string; paymentId: string; reference: string; status: string; resolution: string | null }[];
  secrets: { paymentId: string }[];
  idle: { pid: number }[];
  history: Call[];
  ledgers: Map<string, { attemptId: string; amountCents: number; status: string }[]>;
  /** Every refund at the network, of any payment; `key` is the refund's id. */
  ledgerRefunds: {
    key: string;
    paymentId: string;
    amountCents: number;
    status: string;
    failureCode: string | null;
  }[];
  networkDisputes: { disputeId: string; paymentId: string; reason: string; status: string }[];
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
