/**
 * CRC-16/CCITT-FALSE (polynomial 0x1021, start 0xFFFF) over the UTF-8 bytes, as four upper-case hex digits.
 */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text, 'utf8')) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
      crc &= 0xffff;
    }
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

/** Reais for one dollar, in ten-thousandths. The rate is the sandbox's own and fixed; tests rely on it. */
const rateInTenThousandths = 54_321;

/** Returns an amount in US cents as cents of a real, with the rate and its instant (epoch ms). */
export function quoteInReais(
  amountCents: number,
  now: number,
): { amountCents: number; rate: string; rateAt: number } {
  return {
    amountCents: Math.round((amountCents * rateInTenThousandths) / 10_000),
    rate: (rateInTenThousandths / 10_000).toFixed(4),
    rateAt: now,
  };
}

/**
 * Returns a pix "copy and paste" code: EMV merchant-presented TLV with its checksum. `pixKey` is a random key
 * (UUID), `reference` at most 25 letters and digits, `amountCents` in cents of a real (ISO 4217 number 986),
 * the only currency of pix. The receiver's name shows that no bank would pay it.
 */
export function brCode(charge: { pixKey: string; amountCents: number; reference: string }): string {
  const account = field('00', 'br.gov.bcb.pix') + field('01', charge.pixKey);
  const amount = `${Math.trunc(charge.amountCents / 100)}.${String(charge.amountCents % 100).padStart(2, '0')}`;
  const content = [
    field('00', '01'),
    field('01', '12'),
    field('26', account),
    field('52', '0000'),
    field('53', '986'),
    field('54', amount),
    field('58', 'BR'),
    field('59', 'SANDBOX SHOP'),
    field('60', 'SAO PAULO'),
    field('62', field('05', charge.reference)),
    // The checksum covers its own id and length.
    '6304',
  ].join('');
  return content + crc16(content);
}

function field(id: string, value: string): string {
  if (value.length > 99) throw new RangeError('a BR Code field holds at most 99 characters');
  return id + String(value.length).padStart(2, '0') + value;
}
