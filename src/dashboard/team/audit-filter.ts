import type { AuditFilter } from '../../db/server/audit.ts';
import { isUuid } from '../../http/request.ts';
import { spanOf } from '../parts/days.ts';
import { addressWith, choiceOf, ignoredFilters } from '../parts/paging.ts';
import type { Notice } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import type { Visit } from '../visit.ts';

/** The actors without an id. */
export const actorKinds = ['operator', 'service', 'provider', 'apiKey'] as const;
/** The noun of the sandbox controls' actions, which are folded unless they are asked for. */
const controls = 'sandbox';
const nouns = Object.keys(texts.team.actionGroups) as (keyof typeof texts.team.actionGroups)[];

/** The filter of an address, as its form shows it. */
export interface ShownAuditFilter {
  who: string;
  action: string;
  from: string;
  to: string;
  /** The address that shows the entries of sandbox controls too; null if they are shown. */
  unfold: string | null;
}

/** Returns the filter of the audit log that an address names, and the notice of its invalid parts. */
export function auditFilterOf(visit: Visit): {
  filter: AuditFilter;
  shown: ShownAuditFilter;
  notice: Notice | null;
} {
  const { query, frame } = visit;
  const given = (name: string): string => query.get(name) ?? '';
  const action = choiceOf(visit, 'action', nouns);
  const kind = choiceOf(visit, 'who', actorKinds);
  const who = isUuid(given('who')) ? given('who').toLowerCase() : kind;
  const span = (name: string) => spanOf(given(name), frame.timeZone);
  const isFolded = given('controls') !== 'shown' && action !== controls;
  return {
    filter: {
      actor: who === '' ? null : who,
      noun: action === '' ? null : action,
      without: isFolded ? controls : null,
      from: span('from')?.start ?? null,
      until: span('to')?.end ?? null,
    },
    shown: {
      ...{ who, action, from: given('from'), to: given('to') },
      unfold: isFolded ? `${addressWith(visit, '/team', { controls: 'shown', before: '' })}#audit` : null,
    },
    notice: ignoredFilters(
      visit,
      { action: nouns, ...(who === '' && given('who') !== '' ? { who: actorKinds } : {}) },
      ['from', 'to'],
    ),
  };
}
