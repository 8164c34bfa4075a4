import { type CallKind, recoveryOf } from '../../domain/recovery.ts';
import { type RefusalCode, refusals } from '../../domain/refusals.ts';
import { type Operation, everywhere } from '../http/operation.ts';
import { capitalized, schemaRef } from './components.ts';
import { header } from './headers.ts';
import type { JsonObject } from './json.ts';

/** The names of responses whose status has several codes. */
const statusNames: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  403: 'Forbidden',
  409: 'Conflict',
  410: 'Gone',
  429: 'TooManyRequests',
};

/** The statuses for which most operations have the same codes. */
const alike: readonly number[] = [400, 403, 410];

/**
 * The refusals of all operations as components. Operations with the same codes and the same advice for a
 * status share one component.
 */
export class RefusalResponses {
  readonly responses: JsonObject = {};
  readonly #names = new Map<string, string>();

  /** Returns the refusals of an operation by status, as references to components. docs/errors.md. */
  of(operation: Operation): JsonObject {
    const byStatus = new Map<number, RefusalCode[]>();
    for (const code of [...everywhere, ...operation.codes]) {
      const { status } = refusals[code];
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
    }
    return Object.fromEntries(
      [...byStatus]
        .toSorted(([a], [b]) => a - b)
        .map(([status, codes]) => [String(status), this.#reference(operation, status, codes)]),
    );
  }

  #reference(operation: Operation, status: number, codes: readonly RefusalCode[]): JsonObject {
    const kind = kindOf(operation);
    const advice = [...new Set(codes.map((code) => recoveryOf(code, kind)))];
    const shared = [...codes, ...advice].join(' ');
    const name = this.#names.get(shared) ?? this.#nameOf(operation, status, codes);
    this.#names.set(shared, name);
    this.responses[name] ??= {
      description: `${codes.map((code) => `\`${code}\``).join(', ')}.`,
      'x-error-codes': [...codes],
      'x-recovery': advice,
      headers: {
        Recovery: header('Recovery'),
        ...(status === 401 ? { 'WWW-Authenticate': header('WwwAuthenticate') } : {}),
        ...(status === 429 || status === 503 ? { 'Retry-After': header('RetryAfter') } : {}),
      },
      content: { 'application/json': { schema: schemaRef('Error') } },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  /**
   * Returns a component's name. A single code is the name. Several codes are named after their status where
   * operations share them, else after the first operation that has them.
   */
  #nameOf(operation: Operation, status: number, codes: readonly RefusalCode[]): string {
    const [code = 'invalid_request', ...others] = codes;
    if (others.length > 0) {
      const name = statusNames[status] ?? String(status);
      const isFree = alike.includes(status) && this.responses[name] === undefined;
      return isFree ? name : `${capitalized(operation.id)}${name}`;
    }
    if (code !== 'service_unavailable') return code.split('_').map(capitalized).join('');
    return `Unavailable${{ keyed: 'ForKeyed', attempt: 'ForAttempt', other: '' }[kindOf(operation)]}`;
  }
}

const kindOf = ({ id, keyed }: Operation): CallKind =>
  id === 'pay' || id === 'confirm' ? 'attempt' : keyed ? 'keyed' : 'other';
