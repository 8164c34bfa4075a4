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
  'chargeListing',
  'refundListing',
  'disputeListing',
  'simulate',
] as const;
export type Call = (typeof CALLS)[number];

/**
 * Counts the service's calls since the process began. Tests use them to prove that a read does not call the
 * network.
 */
export class Stats {
  readonly calls: Record<string, number> = Object.fromEntries(CALLS.map((call) => [call, 0]));

  count(call: Call): void {
    this.calls[call] = (this.calls[call] ?? 0) + 1;
  }
}
