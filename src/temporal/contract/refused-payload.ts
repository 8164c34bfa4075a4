/**
 * Why a payload is refused: it was not sealed with our keys, or it was sealed for another workflow or
 * activity.
 */
export type PayloadRefusal = 'unsealed' | 'foreign' | 'forged';

/** Replaces a refused payload, so that its reader can refuse it. */
export interface RefusedPayload {
  refusedPayload: PayloadRefusal;
}

/** Returns whether a value replaces a refused payload. */
export const isRefusedPayload = (value: unknown): value is RefusedPayload =>
  typeof value === 'object' && value !== null && 'refusedPayload' in value;
