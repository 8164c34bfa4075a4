/** Drives the hosted page over HTTP, as its script does, for tests that only need its states. */
export class PageClient {
  readonly url: string;
  readonly vaultUrl: string;

  constructor(url: string, vaultUrl: string) {
    this.url = url;
    this.vaultUrl = vaultUrl;
  }

  /** Returns the token that the page sends with its forms. */
  async formToken(): Promise<string> {
    const html = await (await fetch(this.url)).text();
    return /data-form-token="([^"]+)"/.exec(html)?.[1] ?? '';
  }

  async post(
    verb: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(`${this.url}/${verb}`, {
      method: 'POST',
      headers: { accept: 'application/json', ...headers },
      body: new URLSearchParams({ form: await this.formToken(), ...fields }),
      redirect: 'manual',
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  /** Enters a card in the vault's fields, and returns the data that the frame passes to the page. */
  async card(number: string): Promise<{ cardToken: string; captureReference: string }> {
    const { status, body } = await this.post('card-fields', {});
    if (status !== 200) throw new Error(`card fields: ${status} ${JSON.stringify(body)}`);
    const [reference] = new URL(String(body['url'])).pathname.split('/').slice(-1);
    const response = await fetch(`${this.vaultUrl}/frame/${reference}/capture`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-cardvault-frame-key': String(body['frameKey']) },
      body: JSON.stringify({
        card_number: number,
        card_cvv: '123',
        card_expiry_month: '12',
        card_expiry_year: '40',
      }),
    });
    const captured = (await response.json()) as { token: string; reference: string };
    return { cardToken: captured.token, captureReference: captured.reference };
  }

  async payByCard(number: string) {
    return this.post('pay', { method: 'card', ...(await this.card(number)) });
  }

  pay(method: 'wallet' | 'pix') {
    return this.post('pay', { method });
  }
}
