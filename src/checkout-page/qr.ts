import { encodeQR } from 'qr';

/**
 * Returns a QR code as the `d` of an SVG path, one unit per module, with the side of the square including the
 * quiet zone.
 */
export function qrPath(text: string): { side: number; path: string } {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 4 });
  const path = rows
    .map((row, y) =>
      row
        .map((dark, x) => (dark && !row[x - 1] ? `M${x} ${y}h${run(row, x)}v1h-${run(row, x)}z` : ''))
        .join(''),
    )
    .join('');
  return { side: rows.length, path };
}

/** Returns how many dark modules follow from here. */
function run(row: boolean[], from: number): number {
  const end = row.indexOf(false, from);
  return (end === -1 ? row.length : end) - from;
}
