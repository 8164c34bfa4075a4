import * as z from 'zod';
import { paymentStatuses } from '../../../../src/domain/statuses.ts';
import { word } from '../../../../src/api/http/fields.ts';
import { maxPage, parseListQuery } from '../../../../src/api/http/list-query.ts';
import { integerParam, uuidParam } from '../../../../src/api/http/query-params.ts';

const defaults = { page: 1, perPage: 20 };
const accepted = (search: string) => {
  const parsed = parseListQuery(search);
  return parsed.ok ? parsed.query : parsed;
};

describe('a list query', () => {
  it.each(['', '?'])('LIST-07, LIST-08: %j gives page 1 of 20', (search) => {
    expect(parseListQuery(search)).toEqual({ ok: true, query: defaults });
  });

  it.each(paymentStatuses)('LIST-02: status=%s is accepted', (status) => {
    expect(accepted(`?status=${status}`)).toEqual({ ...defaults, status });
  });

  it('LIST-03, LIST-04: dates are the start of the first UTC day and, exclusive, the end of the last', () => {
    expect(accepted('?from=2026-02-28&to=2026-02-28')).toEqual({
      ...defaults,
      from: new Date('2026-02-28T00:00:00.000Z'),
      to: new Date('2026-03-01T00:00:00.000Z'),
    });
  });

  it.each([
    ['LIST-03: leap day', 'from=2028-02-29', { from: new Date('2028-02-29T00:00:00.000Z') }],
    ['LIST-04: end of a year', 'to=2026-12-31', { to: new Date('2027-01-01T00:00:00.000Z') }],
    ['LIST-05: from alone', 'from=2026-03-01', { from: new Date('2026-03-01T00:00:00.000Z') }],
    [
      'LIST-05: the day before to',
      'from=2026-03-01&to=2026-03-02',
      { from: new Date('2026-03-01T00:00:00.000Z'), to: new Date('2026-03-03T00:00:00.000Z') },
    ],
    ['LIST-07: page 1', 'page=1', {}],
    ['LIST-07: page 12', 'page=12', { page: 12 }],
    ['AMB-25: a page beyond any data', `page=${maxPage}`, { page: maxPage }],
    ['LIST-08: perPage 1', 'perPage=1', { perPage: 1 }],
    ['LIST-08: perPage 100', 'perPage=100', { perPage: 100 }],
    ['percent-encoded name and value', '%70age=%32', { page: 2 }],
    [
      'all together',
      'perPage=5&page=2&to=2026-03-02&status=paid&from=2026-03-02',
      {
        status: 'paid',
        from: new Date('2026-03-02T00:00:00.000Z'),
        to: new Date('2026-03-03T00:00:00.000Z'),
        page: 2,
        perPage: 5,
      },
    ],
  ])('%s is accepted', (_title, search, expected) => {
    expect(accepted(`?${search}`)).toEqual({ ...defaults, ...expected });
    expect(accepted(search)).toEqual({ ...defaults, ...expected });
  });

  const refused: [string, string, string][] = [
    ...[
      'Paid',
      'PAID',
      'open',
      'expired',
      'canceled',
      'paid ',
      'paid,failed',
      '+paid',
      'constructor',
      '%00',
    ].map((status): [string, string, string] => ['LIST-02', `status=${status}`, 'status']),
    ...[
      ...[
        '2026-3-1',
        '20260301',
        '2026-02-30',
        '2026-02-29',
        '2026-13-01',
        '2026-00-10',
        '2026-01-00',
        '2026-01-32',
      ],
      ...[
        '2026-03-01T00:00:00Z',
        'yesterday',
        '26-03-01',
        '02026-03-01',
        '-2026-03-01',
        '%2B002026-03-01',
        '2026/03/01',
      ],
      ...[
        '01-03-2026',
        '2026-03-01 ',
        '+2026-03-01',
        '2026-03-01%0A',
        '1772323200',
        '\uff12\uff10\uff12\uff16-03-01',
        '2026-03',
      ],
    ].flatMap((date): [string, string, string][] => [
      ['LIST-06', `from=${date}`, 'from'],
      ['LIST-06', `to=${date}`, 'to'],
    ]),
    ['LIST-05', 'from=2026-03-02&to=2026-03-01', 'from'],
    ['LIST-05', 'to=2026-03-01&from=2026-03-02', 'from'],
    ...[
      '0',
      '-1',
      '1.5',
      'x',
      '1e1',
      '0x1',
      '+1',
      '%2B1',
      ' 1',
      '%201',
      '1%20',
      '01',
      '1.0',
      '20.0',
      '1_0',
      'NaN',
      '\u0661',
      '1,2',
      'null',
      '90071992547410',
      '9007199254740993',
      '9'.repeat(400),
    ].map((page): [string, string, string] => ['LIST-07, AMB-25', `page=${page}`, 'page']),
    ...['0', '101', 'x', '-1', '20.0', '+20', ' 20', '020', '100.', '1e2', '1000000'].map(
      (perPage): [string, string, string] => ['LIST-08, AMB-25', `perPage=${perPage}`, 'perPage'],
    ),
    ['AMB-25: repeated', 'page=1&page=1', 'page'],
    ['AMB-25: repeated with another value', 'status=paid&status=failed', 'status'],
    ['AMB-25: repeated under an escape', 'page=1&%70age=2', 'page'],
    ['AMB-25: empty', 'status=', 'status'],
    ['AMB-25: empty', 'from=', 'from'],
    ['AMB-25: empty', 'page=', 'page'],
    ['AMB-25: without a value', 'perPage', 'perPage'],
    ['AMB-25: unknown', 'foo=1', 'query'],
    ['AMB-25: unknown', 'limit=1', 'query'],
    ['AMB-25: other case', 'Status=paid', 'query'],
    ['AMB-25: array notation', 'status[]=paid', 'query'],
    ['AMB-25: index notation', 'status[0]=paid', 'query'],
    ['AMB-25: name of the language', '__proto__=1', 'query'],
    ['AMB-25: name of the language', 'constructor=1', 'query'],
    ['AMB-25: a name of another list', 'paymentId=01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90', 'query'],
    ['AMB-25: no name', '=1', 'query'],
    ['AMB-25: nothing between separators', 'page=1&&perPage=2', 'query'],
    ['AMB-25: nothing after a separator', 'page=1&', 'query'],
    ['AMB-25: semicolons', 'page=1;perPage=2', 'page'],
    ['AMB-25: a second question mark', '?page=1', 'query'],
    ['AMB-25: a second equals sign', 'page=1=2', 'page'],
    ['AMB-25: a space for a name', '+=1', 'query'],
    ['AMB-25: bad percent-encoding', 'status=%', 'query'],
    ['AMB-25: bad percent-encoding', 'status=%zz', 'query'],
    ['AMB-25: bad percent-encoding in a name', '%zz=1', 'query'],
    ['AMB-25: percent-encoding that is not UTF-8', 'status=%C3%28', 'query'],
    ['AMB-25: overlong percent-encoding', 'status=%C0%AF', 'query'],
    ['AMB-25: encoded surrogate', 'status=%ED%A0%80', 'query'],
  ];

  it.each(refused)('%s: %s is refused', (_id, search, field) => {
    expect(parseListQuery(`?${search}`)).toEqual({ ok: false, field, message: expect.any(String) });
  });

  it('SECRET-10: a refusal never quotes the query', () => {
    for (const search of [
      'canary=1',
      'status=canary',
      'page=canary',
      'from=canary',
      'canary',
      '%zzcanary=1',
    ]) {
      expect(parseListQuery(search)).toMatchObject({
        ok: false,
        message: expect.not.stringContaining('canary'),
      });
    }
  });

  it('other lists reuse dates and paging with filters of their own', () => {
    const filters = z.object({
      status: word(['needsResponse', 'won']).optional(),
      paymentId: uuidParam.optional(),
      afterSequence: integerParam(0, Number.MAX_SAFE_INTEGER).optional(),
    });
    const id = '01931C5E-8A6F-7B3C-9D41-2F6E5A7C8B90';
    const parsed = parseListQuery(`?status=won&paymentId=${id}&afterSequence=0&perPage=3`, filters);
    expect(parsed).toEqual({
      ok: true,
      query: { status: 'won', paymentId: id.toLowerCase(), afterSequence: 0, page: 1, perPage: 3 },
    });
    expect(parseListQuery('status=paid', filters)).toMatchObject({ ok: false, field: 'status' });
    expect(parseListQuery('paymentId=x', filters)).toMatchObject({ ok: false, field: 'paymentId' });
    expect(parseListQuery('afterSequence=-1', filters)).toMatchObject({ ok: false, field: 'afterSequence' });
    expect(parseListQuery('from=x', filters)).toMatchObject({ ok: false, field: 'from' });
    expect(parseListQuery('status=paid', z.object({}))).toMatchObject({ ok: false, field: 'query' });
  });
});
