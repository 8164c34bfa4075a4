/** A violated guarantee; `invariant` is a number of docs/reliability.md. */
export interface Violation {
  invariant: string;
  paymentId: string | null;
  detail: string;
}

/** Records a violation. */
export type Report = (invariant: string, paymentId: string | null, detail: string) => void;
