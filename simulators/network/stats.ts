const CALLS = [
  'charge',
  'lookup',
  'confirm',
  'void',
  'refund',
  'refundLookup',
  'refundVoid',
  'disputeList',
  'disputeChanges',
  'disputeLookup',
  'disputeEvidence',
  'disputeAccept',
  'simulate',
] as const;
export type Call = (typeof CALLS)[number];

/**
 * How often the service called since the process began: what proves that a read of the service asks the
 * network nothing.
 */
export class Stats {
  readonly calls: Record<string, number> = Object.fromEntries(CALLS.map((call) => [call, 0]));

  count(call: Call): void {
    this.calls[call] = (this.calls[call] ?? 0) + 1;
  }
}
