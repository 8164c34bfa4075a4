/** Presses a button of the network's challenge page without a browser; returns where the customer is sent. */
export async function submitChallenge(url: string, button: 'approve' | 'fail' | 'cancel'): Promise<string> {
  const html = await (await fetch(url)).text();
  const at = html.indexOf(`data-testid="challenge-${button}"`);
  const form = html.slice(html.lastIndexOf('<form', at), at);
  const action = /action="([^"]*)"/.exec(form)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const tag = html.slice(html.lastIndexOf('<', at), html.indexOf('>', at) + 1);
  const [name, value] = [/name="([^"]*)"/.exec(tag)?.[1], /value="([^"]*)"/.exec(tag)?.[1]];
  const response = await fetch(new URL(action, url), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: name === undefined ? '' : new URLSearchParams({ [name]: value ?? '' }).toString(),
    redirect: 'manual',
  });
  return response.headers.get('location') ?? '';
}
