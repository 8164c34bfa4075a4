import { readable } from '../../../src/cli/admin/readable.ts';

describe('a readable answer', () => {
  it('has one fact per line, aligned, with a dash for an empty value', () => {
    expect(readable({ who: 'customer', since: '2030-01-02T03:04:05.000Z', until: null })).toBe(
      'who    customer\nsince  2030-01-02T03:04:05.000Z\nuntil  –\n',
    );
  });

  it('prints instants as JSON does, also in a list', () => {
    const at = new Date('2030-01-02T03:04:05.000Z');
    expect(readable({ from: at, runs: [{ startedAt: at }] })).toBe(
      'from  2030-01-02T03:04:05.000Z\n\nruns (1)\n  startedAt\n  2030-01-02T03:04:05.000Z\n',
    );
  });

  it('shows lists as tables, with their length', () => {
    const payments = [
      { id: 'a1', reference: 'order-1', amountCents: 2_500 },
      { id: 'b22', reference: 'order-22', amountCents: 75 },
    ];
    expect(readable({ payments })).toBe(
      [
        'payments (2)',
        '  id   reference  amountCents',
        '  a1   order-1    2500',
        '  b22  order-22   75',
        '',
      ].join('\n'),
    );
    expect(readable({ payments: [], methods: ['card', 'pix'] })).toBe(
      'payments  none\nmethods   card, pix\n',
    );
  });

  it('shows a list as blocks where a table does not fit', () => {
    const rows = [
      { action: 'key.created', after: { name: 'npm start', methods: null } },
      { action: 'key.revoked', after: null },
    ];
    expect(readable({ rows }, 20)).toBe(
      [
        'rows (2)',
        '  action  key.created',
        '  after   name=npm start',
        '',
        '  action  key.revoked',
        '  after   –',
        '',
      ].join('\n'),
    );
  });

  it('shows nested objects below the facts', () => {
    expect(readable({ payment: { customer: { email: 'ada@example.org' }, id: 'a1' }, refunds: [] })).toBe(
      ['refunds  none', '', 'payment', '  id  a1', '', '  customer', '    email  ada@example.org', ''].join(
        '\n',
      ),
    );
  });

  it('escapes control characters, so that a reference cannot control the terminal', () => {
    const text = readable({ reference: 'order\u001B[2J\u202E\n1', rows: [{ a: '\u009B1A', b: '\u0007' }] });
    expect(text).toContain('order\\u001b[2J\\u202e\\u000a1');
    expect(text).toContain('\\u009b1A');
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
