import { isMailable, parseMailUrl, waitAfterMs } from '../../../src/domain/mail.ts';
import { checkMailServer } from '../../../src/mail/mail-server.ts';

describe('the URL of a mail server', () => {
  it.each([
    ['smtp://u:p@mail.example', { host: 'mail.example', port: 587, secure: false }],
    ['smtps://u:p@Mail.Example/', { host: 'mail.example', port: 465, secure: true }],
    ['smtp://[::1]:2525', { host: '::1', port: 2525, secure: false, login: null }],
    ['smtp://u%40shop:p%3A%2F@mail.example:25', { port: 25, login: { user: 'u@shop', password: 'p:/' } }],
  ])('%s is read', (url, server) => {
    expect(parseMailUrl(url)).toMatchObject({ ok: true, server });
  });

  it.each([
    '',
    'mail.example:587',
    'https://mail.example',
    'smtp://',
    'smtp://mail.example/inbox',
    'smtp://mail.example?x=1',
    'smtp://user@mail.example',
    'smtp://:password@mail.example',
    'smtp://u:%0d%0a@mail.example',
    'smtp://u:%ff@mail.example',
    'smtp://u:p@mail.example:99999',
    `smtp://${'x'.repeat(3_000)}`,
    'smtp://u:p@ma il.example',
  ])('%s is refused with a reason that holds no password', (url) => {
    const parsed = parseMailUrl(url);
    expect(parsed).toMatchObject({ ok: false, reason: expect.not.stringContaining('%') as string });
  });

  it.each([
    'smtp://127.0.0.1',
    'smtp://localhost',
    'smtp://10.1.2.3',
    'smtps://[fd00::1]',
    'smtp://x.localhost',
  ])('%s is refused in production', (url) => {
    const given = { url, from: 'a@shop.example' };
    expect(checkMailServer(given, { allowLoopback: false })).toMatchObject({ ok: false, field: 'url' });
  });
});

it('addresses with signs of headers or commands get no mail', () => {
  expect(['a@b.example', 'ä@b.example', "o'neil+x@b.example"].map(isMailable)).toEqual([true, true, true]);
  const wrong = [
    'a',
    'a@b@c',
    '<a@b.example',
    'a,b@c.example',
    '"a"@b.example',
    'a\r\n@b.example',
    'a;b@c.example',
  ];
  expect(wrong.filter(isMailable)).toEqual([]);
});

it('waits grow and stay below 90 s', () => {
  const waits = [1, 2, 3, 4, 10, 1_000].map(waitAfterMs);
  expect(waits).toEqual([10_000, 20_000, 40_000, 75_000, 75_000, 75_000]);
});
