/** Why a payload is not believed: no holder of the keys wrote it, or not for this place. */
export type PayloadRefusal = 'unsealed' | 'foreign' | 'forged';

/** What stands in place of a payload that is not believed, for those who would have read it. */
export interface RefusedPayload {
  refusedPayload: PayloadRefusal;
}

/** Whether a value is what stands in place of a refused payload. */
export const isRefusedPayload = (value: unknown): value is RefusedPayload =>
  typeof value === 'object' && value !== null && 'refusedPayload' in value;
