import * as z from 'zod';
import { paymentStatuses } from '../../../../src/domain/statuses.ts';
import { oneOf } from '../../../../src/api/http/fields.ts';
import { maxPage, parseListQuery } from '../../../../src/api/http/list-query.ts';
import { integerParam, uuidParam } from '../../../../src/api/http/query-params.ts';
import { proves } from '../../../support/proves.ts';

const defaults = { page: 1, perPage: 20 };
const accepted = (search: string) => {
  const parsed = parseListQuery(search);
  return parsed.ok ? parsed.query : parsed;
};

describe('a list query', () => {
  it.each(['', '?'])(proves('%j gives page 1 of 20', 'LIST-07', 'LIST-08'), (search) => {
    expect(parseListQuery(search)).toEqual({ ok: true, query: defaults });
  });

  it.each(paymentStatuses)(proves('status=%s is accepted', 'LIST-02'), (status) => {
    expect(accepted(`?status=${status}`)).toEqual({ ...defaults, status });
  });

  it(
    proves(
      'dates are the start of the first UTC day and, exclusive, the end of the last',
      'LIST-03',
      'LIST-04',
    ),
    () => {
      expect(accepted('?from=2026-02-28&to=2026-02-28')).toEqual({
        ...defaults,
        from: new Date('2026-02-28T00:00:00.000Z'),
        to: new Date('2026-03-01T00:00:00.000Z'),
      });
    },
  );

  it.each([
    [proves('leap day', 'LIST-03'), 'from=2028-02-29', { from: new Date('2028-02-29T00:00:00.000Z') }],
    [proves('end of a year', 'LIST-04'), 'to=2026-12-31', { to: new Date('2027-01-01T00:00:00.000Z') }],
    [proves('from alone', 'LIST-05'), 'from=2026-03-01', { from: new Date('2026-03-01T00:00:00.000Z') }],
    [
      proves('the day before to', 'LIST-05'),
      'from=2026-03-01&to=2026-03-02',
      { from: new Date('2026-03-01T00:00:00.000Z'), to: new Date('2026-03-03T00:00:00.000Z') },
    ],
    [proves('page 1', 'LIST-07'), 'page=1', {}],
    [proves('page 12', 'LIST-07'), 'page=12', { page: 12 }],
    [proves('the last page that is looked up', 'AMB-25'), `page=${maxPage}`, { page: maxPage }],
    [proves('perPage 1', 'LIST-08'), 'perPage=1', { perPage: 1 }],
    [proves('perPage 100', 'LIST-08'), 'perPage=100', { perPage: 100 }],
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
    ...[maxPage + 1, 90_071_992_547_409, Number.MAX_SAFE_INTEGER].map((page): [string, string, string] => [
      proves('a page past all data', 'AMB-25'),
      `page=${page}`,
      'page',
    ]),
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
    ].map((status): [string, string, string] => [
      proves('an unknown status', 'LIST-02'),
      `status=${status}`,
      'status',
    ]),
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
      [proves('no calendar date', 'LIST-06'), `from=${date}`, 'from'],
      [proves('no calendar date', 'LIST-06'), `to=${date}`, 'to'],
    ]),
    [proves('from after to', 'LIST-05'), 'from=2026-03-02&to=2026-03-01', 'from'],
    [proves('from after to', 'LIST-05'), 'to=2026-03-01&from=2026-03-02', 'from'],
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
    ].map((page): [string, string, string] => [
      proves('no page number', 'LIST-07', 'AMB-25'),
      `page=${page}`,
      'page',
    ]),
    ...['0', '101', 'x', '-1', '20.0', '+20', ' 20', '020', '100.', '1e2', '1000000'].map(
      (perPage): [string, string, string] => [
        proves('no page size', 'LIST-08', 'AMB-25'),
        `perPage=${perPage}`,
        'perPage',
      ],
    ),
    [proves('repeated', 'AMB-25'), 'page=1&page=1', 'page'],
    [proves('repeated with another value', 'AMB-25'), 'status=paid&status=failed', 'status'],
    [proves('repeated under an escape', 'AMB-25'), 'page=1&%70age=2', 'page'],
    [proves('empty', 'AMB-25'), 'status=', 'status'],
    [proves('empty', 'AMB-25'), 'from=', 'from'],
    [proves('empty', 'AMB-25'), 'page=', 'page'],
    [proves('without a value', 'AMB-25'), 'perPage', 'perPage'],
    [proves('unknown', 'AMB-25'), 'foo=1', 'query'],
    [proves('unknown', 'AMB-25'), 'limit=1', 'query'],
    [proves('other case', 'AMB-25'), 'Status=paid', 'query'],
    [proves('array notation', 'AMB-25'), 'status[]=paid', 'query'],
    [proves('index notation', 'AMB-25'), 'status[0]=paid', 'query'],
    [proves('name of the language', 'AMB-25'), '__proto__=1', 'query'],
    [proves('name of the language', 'AMB-25'), 'constructor=1', 'query'],
    [proves('a name of another list', 'AMB-25'), 'paymentId=01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90', 'query'],
    [proves('no name', 'AMB-25'), '=1', 'query'],
    [proves('nothing between separators', 'AMB-25'), 'page=1&&perPage=2', 'query'],
    [proves('nothing after a separator', 'AMB-25'), 'page=1&', 'query'],
    [proves('semicolons', 'AMB-25'), 'page=1;perPage=2', 'page'],
    [proves('a second question mark', 'AMB-25'), '?page=1', 'query'],
    [proves('a second equals sign', 'AMB-25'), 'page=1=2', 'page'],
    [proves('a space for a name', 'AMB-25'), '+=1', 'query'],
    [proves('bad percent-encoding', 'AMB-25'), 'status=%', 'query'],
    [proves('bad percent-encoding', 'AMB-25'), 'status=%zz', 'query'],
    [proves('bad percent-encoding in a name', 'AMB-25'), '%zz=1', 'query'],
    [proves('percent-encoding that is not UTF-8', 'AMB-25'), 'status=%C3%28', 'query'],
    [proves('overlong percent-encoding', 'AMB-25'), 'status=%C0%AF', 'query'],
    [proves('encoded surrogate', 'AMB-25'), 'status=%ED%A0%80', 'query'],
  ];

  it.each(refused)('%s: %s is refused', (_id, search, field) => {
    expect(parseListQuery(`?${search}`)).toEqual({ ok: false, field, message: expect.any(String) });
  });

  it(proves('a refusal never quotes a value, nor a name that may be a secret', 'SECRET-10'), () => {
    for (const search of [
      'limit=canary',
      'tok_canary=1',
      'cps_live_canary',
      `canary${'x'.repeat(40)}=1`,
      'canary4242424242424242=1',
      'canary%0A=1',
      'status=canary',
      'page=canary',
      'from=canary',
      '%zzcanary=1',
    ]) {
      expect(parseListQuery(search)).toMatchObject({
        ok: false,
        message: expect.not.stringContaining('canary'),
      });
    }
  });

  it.each([
    ['perpage=5', 'Unknown query parameter "perpage". Did you mean "perPage"?'],
    ['limit=5', 'Unknown query parameter "limit". This endpoint takes status, from, to, page, perPage.'],
    ['4242424242424242=5', 'Unknown query parameter. This endpoint takes status, from, to, page, perPage.'],
  ])('%s is refused, naming the parameter and the known ones', (search, message) => {
    expect(parseListQuery(search)).toEqual({ ok: false, field: 'query', message });
  });

  it('other lists reuse dates and paging with filters of their own', () => {
    const filters = z.object({
      status: oneOf(['needsResponse', 'won']).optional(),
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
