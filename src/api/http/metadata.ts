import { canonicalSizeBytes, isStorableText } from '../../domain/text.ts';

/** Spec: Limits > metadata. Counts only the keys of the top-level object (AMB-16). */
export const maxMetadataKeys = 100;
/** Spec: Limits > metadata. In bytes of the canonical UTF-8 form. */
export const maxMetadataBytes = 16_384;

/**
 * Returns the fault of a metadata object, or null. It may have at most 100 keys and 16,384 canonical bytes,
 * and no U+0000 or lone surrogate in any key or string. The text completes "metadata …".
 * Spec: Resources > metadata; META-01 to -07, AMB-16, AMB-54.
 */
export function metadataFault(value: Record<string, unknown>): string | null {
  if (Object.keys(value).length > maxMetadataKeys) return `must have at most ${maxMetadataKeys} keys`;
  if (!isStorableJson(value)) return 'must not contain U+0000 or lone surrogates';
  let sizeBytes: number;
  try {
    sizeBytes = canonicalSizeBytes(value);
  } catch {
    return 'must be JSON of moderate depth';
  }
  return sizeBytes > maxMetadataBytes ? `must be at most ${maxMetadataBytes} bytes in canonical form` : null;
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns whether every key and every string of a JSON value can be stored. Iterative, so that deep values
 * use no stack.
 */
function isStorableJson(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string' && !isStorableText(next)) return false;
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next) && !Object.keys(next).every(isStorableText)) return false;
    for (const child of Object.values(next)) open.push(child);
  }
  return true;
}
