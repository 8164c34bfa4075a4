/** What a process may do with a table. The right to update includes the right to lock rows. */
export type Verb = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

/** The roles of the processes. Migrations and the operator command run as the owner. */
export const processRoles = { api: 'card_payments_api', worker: 'card_payments_worker' } as const;
export type ProcessRole = keyof typeof processRoles;

/** S: select, I: insert, U: update, D: delete. */
const letters = { S: 'SELECT', I: 'INSERT', U: 'UPDATE', D: 'DELETE' } as const satisfies Record<
  string,
  Verb
>;

/**
 * The privileges that each process needs for each table, and no more. Neither process can delete a payment,
 * an attempt or a refund, or change an event or the audit log. The worker deletes events after their
 * retention. Only an operator creates merchants and connectors. Tables that only operators use have an empty
 * entry.
 */
const table: Readonly<Record<string, { api: string; worker: string }>> = {
  api_key_uses: { api: 'SIU', worker: '' },
  api_keys: { api: 'SIU', worker: '' },
  api_requests: { api: 'SI', worker: 'SD' },
  attempts: { api: 'SIU', worker: 'SIU' },
  audit_copies: { api: '', worker: 'SU' },
  audit_entries: { api: 'SI', worker: 'SI' },
  audit_heads: { api: 'SIU', worker: 'SIU' },
  audit_unsigned: { api: '', worker: '' },
  capture_access: { api: 'SIU', worker: 'SU' },
  capture_hints: { api: 'SIU', worker: 'SUD' },
  captured_cards: { api: 'SI', worker: 'SIUD' },
  card_results: { api: 'SID', worker: 'SIUD' },
  card_testing_marks: { api: 'SIU', worker: 'S' },
  chain_keys: { api: 'SI', worker: 'SI' },
  cluster_timeline: { api: '', worker: 'SIU' },
  connectors: { api: 'S', worker: 'S' },
  dispute_files: { api: 'SID', worker: '' },
  disputes: { api: 'SIU', worker: 'SIU' },
  events: { api: 'SI', worker: 'SID' },
  erased_events: { api: '', worker: 'SD' },
  event_seal_heads: { api: '', worker: 'SU' },
  event_seals: { api: '', worker: 'SID' },
  dispute_hints: { api: '', worker: 'SIUD' },
  provider_refund_hints: { api: 'SIU', worker: 'SIUD' },
  idempotency_keys: { api: 'SIUD', worker: 'SUD' },
  idempotency_responses: { api: 'SIUD', worker: 'SUD' },
  key_canary: { api: 'SI', worker: 'SI' },
  key_pairings: { api: 'SIUD', worker: 'SD' },
  key_rewraps: { api: '', worker: '' },
  list_changes: { api: 'SIUD', worker: 'SIUD' },
  list_counts: { api: 'SIUD', worker: 'SIUD' },
  mail_settings: { api: 'SIUD', worker: 'SU' },
  mails: { api: 'SIU', worker: 'SIUD' },
  member_kept_pages: { api: 'SID', worker: '' },
  member_passkeys: { api: 'SIUD', worker: '' },
  member_recovery_codes: { api: 'SIUD', worker: '' },
  member_sessions: { api: 'SIUD', worker: '' },
  member_tries: { api: 'SIUD', worker: 'SD' },
  members: { api: 'SIU', worker: '' },
  merchant_branding: { api: 'SIUD', worker: 'S' },
  merchant_settings: { api: 'SU', worker: 'S' },
  merchants: { api: 'S', worker: 'S' },
  movements: { api: 'S', worker: 'S' },
  operator_alerts: { api: 'SIU', worker: 'SIUD' },
  passkey_challenges: { api: 'SID', worker: '' },
  payment_link_uses: { api: 'SI', worker: '' },
  payment_links: { api: 'SIU', worker: '' },
  payment_checks: { api: 'SIU', worker: 'SIUD' },
  payment_search_terms: { api: 'SI', worker: 'SI' },
  payment_versions: { api: 'SI', worker: 'SI' },
  payments: { api: 'SIU', worker: 'SU' },
  provider_cursors: { api: '', worker: 'SIU' },
  rate_limits: { api: 'SIUD', worker: 'SD' },
  reconciliation_differences: { api: 'S', worker: 'SIUD' },
  reconciliation_items: { api: '', worker: 'SIUD' },
  reconciliation_runs: { api: 'S', worker: 'SIUD' },
  restore_watch: { api: 'S', worker: 'SU' },
  restored_creations: { api: 'S', worker: '' },
  refund_approvals: { api: 'SIU', worker: '' },
  refunds: { api: 'SIU', worker: 'SIU' },
  sandbox_webhook_faults: { api: 'SIUD', worker: 'SIUD' },
  schema_migrations: { api: 'S', worker: 'S' },
  sign_in_links: { api: 'SIUD', worker: '' },
  sweep_leaders: { api: 'S', worker: 'SIU' },
  unexpected_captures: { api: 'S', worker: 'SI' },
  webhook_attempts: { api: 'SI', worker: 'SI' },
  webhook_deliveries: { api: 'SIU', worker: 'SIU' },
  webhook_endpoints: { api: 'SIU', worker: 'SU' },
};

/** The tables whose privileges have been decided. */
export const knownTables: readonly string[] = Object.keys(table);

/** Returns the role's privileges for the table. */
export function privilegesOf(role: ProcessRole, name: string): Verb[] {
  const wanted = table[name]?.[role] ?? '';
  return wanted.split('').map((letter) => letters[letter as keyof typeof letters]);
}
