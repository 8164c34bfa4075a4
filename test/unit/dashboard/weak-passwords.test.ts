import { isWeakPassword } from '../../../src/dashboard/sign-in/weak-passwords.ts';

const about = ['maria.silva@shop.example', 'Maria Silva', 'Blue Door Books'];

it.each([
  // Popular passwords, in any case.
  '1qaz2wsx3edc',
  'Q1W2E3R4T5Y6',
  'sonyericsson',
  // Short passwords that were extended.
  'password1234',
  'P@ssw0rd2026!!!',
  'qwertyuiop12345',
  'aaaaaaaaaaaaaaaaaaaa',
  'abcdefghijklmnop',
  // Names of the service, the member and the merchant.
  'cardpayments1234',
  'Card payments 2026!',
  'maria.silva2026!!',
  'bluedoorbooks2026',
])('%s is weak', async (password) => {
  expect(await isWeakPassword(password, about)).toBe(true);
});

it.each([
  'correct horse battery staple',
  'Sunshine-2026-river',
  '6f!Tq9zL#r2w',
  'lemon harbor tuesday',
  'пятница зелёный якорь',
  '緑の茶碗と青い鳥の夢を見た',
])('%s is strong', async (password) => {
  expect(await isWeakPassword(password, about)).toBe(false);
});

it('a name makes a password weak for its bearer, and for no other member', async () => {
  expect(await isWeakPassword('Thistlewood-2026', ['thistlewood@shop.example'])).toBe(true);
  expect(await isWeakPassword('Thistlewood-2026', about)).toBe(false);
});

it('estimates a long password as fast as a short one', async () => {
  expect(await isWeakPassword('aB3$'.repeat(250), about)).toBe(true);
});
