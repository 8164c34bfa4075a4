/** The allowed types of a dispute's files, by their bytes. */
export const disputeFileTypes = ['application/pdf', 'image/png', 'image/jpeg'] as const;
export type DisputeFileType = (typeof disputeFileTypes)[number];

export const maxDisputeFiles = 5;
/** The most bytes of one file, and of all files of a dispute. */
export const maxDisputeFileBytes = 2 * 1024 * 1024;
export const maxDisputeFilesBytes = 5 * 1024 * 1024;

const maxNameLength = 100;
const endings = { 'application/pdf': '.pdf', 'image/png': '.png', 'image/jpeg': '.jpg' } as const;

/** Returns the type of a file by its bytes, whatever its name is; null for any other file. */
export function disputeFileType(bytes: Buffer): DisputeFileType | null {
  const text = (from: number, to?: number): string => bytes.subarray(from, to).toString('latin1');
  if (text(0, 5) === '%PDF-') return text(-1024).includes('%%EOF') ? 'application/pdf' : null;
  if (text(0, 8) === '\u0089PNG\r\n\u001a\n') return text(12, 16) === 'IHDR' ? 'image/png' : null;
  return text(0, 3) === '\u00ff\u00d8\u00ff' ? 'image/jpeg' : null;
}

/**
 * Returns a name under which a file can be listed and saved. It has no folders, control characters or
 * characters that file systems forbid, at most 100 characters, and the ending of its type.
 */
export function disputeFileName(raw: string, type: DisputeFileType): string {
  const own = raw.split(/[\\/]/).at(-1) ?? '';
  const stem = own
    .replace(/\.[A-Za-z0-9]{1,5}$/, '')
    .replaceAll(/[\p{C}"*:<>?|]/gu, '')
    .trim();
  const short = Array.from(stem).slice(0, maxNameLength).join('').trim();
  return (short === '' || /^\.+$/.test(short) ? 'file' : short) + endings[type];
}
