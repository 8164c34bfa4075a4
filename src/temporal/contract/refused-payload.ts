/**
 * Why a payload is refused: it was not sealed with our keys, or was sealed for another workflow or activity.
 */
export type PayloadRefusal = 'unsealed' | 'foreign' | 'forged';

/** Stands in place of a refused payload, for its readers. */
export interface RefusedPayload {
  refusedPayload: PayloadRefusal;
}

/** Whether a value stands in place of a refused payload. */
export const isRefusedPayload = (value: unknown): value is RefusedPayload =>
  typeof value === 'object' && value !== null && 'refusedPayload' in value;
