import { isJsonContentType } from '../../../../src/api/http/input.ts';

describe('the content type of a body', () => {
  it.each([
    ...[
      'application/json',
      'Application/JSON',
      'APPLICATION/JSON',
      'application/json;',
      'application/json ',
      'application/json\t',
    ],
    ...[
      'application/json; charset=utf-8',
      'application/json;charset=utf-8',
      'application/json; charset=UTF-8',
    ],
    ...[
      'application/json; charset="utf-8"',
      'application/json; charset="UTF-\\8"',
      'application/json ; charset=utf-8',
      'application/json\t;\tcharset=utf-8',
    ],
    ...[
      'application/json; Charset=Utf-8',
      'application/json; version=1',
      'application/json; a=b; c="d;e=f"; charset=utf-8',
    ],
    ...[
      'application/json; a=""',
      'application/json;; charset=utf-8 ;',
      'application/json; a="charset=latin1"',
      'application/json; a="\\""',
    ],
  ])('X8, AMB-26: %j is accepted', (header) => {
    expect(isJsonContentType(header)).toBe(true);
  });

  it.each([
    ...[
      undefined,
      '',
      ' ',
      'json',
      'text/json',
      'text/plain',
      'text/plain; application/json',
      'application/jsonx',
      'application/json5',
    ],
    ...[
      'application/jso',
      'application',
      'application/',
      '/json',
      'application/json/x',
      'application/ json',
      'application /json',
    ],
    ...[
      'application/problem+json',
      'application/json+x',
      'application/ld+json',
      'application/x-json',
      'application/json-patch+json',
    ],
    ...[
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=application/json',
      'application/octet-stream',
      '*/*',
      'application/*',
    ],
    ...[
      'application/json, application/json',
      'application/json,text/html',
      'application/json\0',
      'application/json x',
      '"application/json"',
    ],
    ...[
      'application/json; charset=latin1',
      'application/json; CHARSET=latin1',
      'application/json; charset=utf-16',
      'application/json; charset=utf8',
      'application/json; charset=',
      'application/json; charset',
    ],
    ...[
      'application/json; charset="utf-8',
      'application/json; charset=utf-8, x',
      'application/json; charset=utf-8; charset=latin1',
      'application/json; charset="utf-8 "',
    ],
    ...[
      'application/json; charset = utf-8',
      'application/json; =utf-8',
      'application/json; charset=utf-8 x',
      'application/json charset=utf-8',
      'application/json; charset=\u00e9',
    ],
    ...['application/json\u00a0', '\ufeffapplication/json', 'application/json\n', ' application/json'],
  ])('X8, AMB-26: %j is refused', (header) => {
    expect(isJsonContentType(header)).toBe(false);
  });

  it('X22: headers built to take long are decided quickly', () => {
    const length = 100_000;
    expect(isJsonContentType(`application/json${' '.repeat(length)}x`)).toBe(false);
    expect(isJsonContentType(`application/json;${' '.repeat(length)}=`)).toBe(false);
    expect(isJsonContentType(`application/json;${'a'.repeat(length)}`)).toBe(false);
    expect(isJsonContentType(`application/json;a="${'\\'.repeat(length + 1)}`)).toBe(false);
    expect(isJsonContentType(`application/json${'; a=b'.repeat(length / 5)}`)).toBe(true);
  });
});
