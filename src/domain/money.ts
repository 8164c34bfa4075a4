/** Returns an amount in hundredths as text: `$1,234.56`, and `1,234.56 EUR` for other currencies. */
export function formatMoney(amountCents: number, currency: string): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  const amount = new Intl.NumberFormat('en-US', digits).format(amountCents / 100);
  return currency === 'USD' ? `$${amount}` : `${amount} ${currency}`;
}
