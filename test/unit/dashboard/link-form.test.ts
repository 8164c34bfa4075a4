import { readLinkForm } from '../../../src/dashboard/payment-links/form.ts';

const nowMs = Date.parse('2026-03-01T12:00:00Z');
const typed = {
  amount: '$42.00',
  reference: 'workshop-may',
  successUrl: 'https://shop.example/thanks',
  cancelUrl: 'https://shop.example/workshops',
};
const read = (changes: Record<string, string> = {}, methods: string[] = []) =>
  readLinkForm(
    new URLSearchParams([
      ...Object.entries({ ...typed, ...changes }),
      ...methods.map((method) => ['methods', method]),
    ]),
    { timeZone: 'America/Sao_Paulo', nowMs, allowHttpLoopback: false },
  );

describe('the form of a payment link', () => {
  it('needs an amount, a reference and two addresses', () => {
    expect(read()).toEqual({
      ok: true,
      command: {
        amountCents: 4200,
        lineItems: null,
        successUrl: typed.successUrl,
        cancelUrl: typed.cancelUrl,
        reference: 'workshop-may',
        description: null,
        methods: null,
        maxPayments: null,
        expiresAt: null,
      },
    });
  });

  it('takes items, methods, a number of payments and a last day, which ends in the zone of the merchant', () => {
    const items = {
      ...{ itemName1: 'Seat', itemQuantity1: '2', itemAmount1: '40' },
      ...{ itemName3: 'Lunch', itemAmount3: '2.00' },
    };
    const answer = read({ ...items, description: 'Workshop', maxPayments: '20', lastDay: '2026-05-09' }, [
      'pix',
      'card',
    ]);
    expect(answer).toMatchObject({
      ok: true,
      command: {
        lineItems: [
          { name: 'Seat', quantity: 2, amountCents: 4000 },
          { name: 'Lunch', quantity: 1, amountCents: 200 },
        ],
        description: 'Workshop',
        methods: ['card', 'pix'],
        maxPayments: 20,
        expiresAt: new Date('2026-05-10T03:00:00Z'),
      },
    });
  });

  it.each([
    [{ amount: 'ten' }, 'Enter an amount such as 42.00'],
    [{ amount: '4.99' }, 'from $5.00 to $1,000,000.00'],
    [{ reference: '' }, 'The reference is missing'],
    [{ reference: '4111 1111 1111 1111' }, 'without a card number'],
    [{ description: 'x'.repeat(501) }, 'at most 500 characters'],
    [{ itemName2: 'Seat' }, 'Item 2 is incomplete'],
    [{ itemName1: 'Seat', itemQuantity1: '-1', itemAmount1: '42.00' }, 'Item 1 is incomplete'],
    [
      { itemName1: 'Seat', itemAmount1: '41.00' },
      'The items add up to $41.00, but the amount of the link is $42.00',
    ],
    [{ successUrl: 'thanks' }, '“After paying, send customers to” needs an address'],
    [{ cancelUrl: 'http://shop.example' }, '“If they go back, send customers to” needs an address'],
    [{ maxPayments: '0' }, 'Enter 1 to 10,000'],
    [{ maxPayments: '1.5' }, 'Enter 1 to 10,000'],
    [{ lastDay: '2026-02-28' }, 'The last day is in the past'],
    [{ lastDay: '2026-02-31' }, 'isn’t a date'],
  ])('says what to change: %j', (changes, why) => {
    expect(read(changes)).toEqual({
      ok: false,
      field: expect.any(String) as string,
      why: expect.stringContaining(why) as string,
    });
  });
});
