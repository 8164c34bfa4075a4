import { brCode, crc16, quoteInReais } from '../../../simulators/network/br-code.ts';

/** Splits EMV TLV text into its fields. */
function fields(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < text.length;) {
    const length = Number(text.slice(at + 2, at + 4));
    found.set(text.slice(at, at + 2), text.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return found;
}

describe('the pix code', () => {
  it('has a checksum by CRC-16/CCITT-FALSE: the public check value of "123456789" is 29B1', () => {
    expect(crc16('123456789')).toBe('29B1');
  });

  it('has the checksum of the example in the BR Code manual', () => {
    const example =
      '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***6304';
    expect(crc16(example)).toBe('1D3D');
  });

  it('contains the amount, the key and the reference, and ends with its checksum', () => {
    const code = brCode({
      pixKey: '123e4567-e12b-12d1-a456-426655440000',
      amountCents: 123_405,
      reference: 'abc123',
    });
    const all = fields(code);
    expect(all.get('54')).toBe('1234.05');
    expect(all.get('58')).toBe('BR');
    expect(fields(all.get('26') ?? '')).toEqual(
      new Map([
        ['00', 'br.gov.bcb.pix'],
        ['01', '123e4567-e12b-12d1-a456-426655440000'],
      ]),
    );
    expect(fields(all.get('62') ?? '').get('05')).toBe('abc123');
    expect(all.get('63')).toBe(crc16(code.slice(0, -4)));
  });
});

describe('the amount in reais', () => {
  it.each([
    [4250, 23_086],
    [500, 2_716],
    [1, 5],
    [100_000_000, 543_210_000],
  ])('of %i US cents is %i cents of a real, rounded to the nearest, at the given rate', (cents, expected) => {
    expect(quoteInReais(cents, 7)).toEqual({ amountCents: expected, rate: '5.4321', rateAt: 7 });
  });
});
