import { acceptedWebhookSecrets, rotateWebhookSecret } from '../../../src/connectors/credentials.ts';

const at = (hours: number): Date => new Date(Date.UTC(2030, 0, 1, hours));
const first = { webhookSecret: 'whsec_1', previousWebhookSecret: null, until: null };
const accepted = (secrets: ReturnType<typeof rotateWebhookSecret>, hours: number): string[] =>
  acceptedWebhookSecrets(secrets, secrets.until, at(hours));

describe('the webhook secret of a Stripe connector', () => {
  it('is accepted for 24 hours after its rotation', () => {
    const rotated = rotateWebhookSecret(first, 'whsec_2', at(0));
    expect(rotated).toEqual({ webhookSecret: 'whsec_2', previousWebhookSecret: 'whsec_1', until: at(24) });
    expect(accepted(rotated, 23)).toEqual(['whsec_2', 'whsec_1']);
    expect(accepted(rotated, 24)).toEqual(['whsec_2']);
  });

  it('has the same end when other credentials, or the same secret again, are rotated meanwhile', () => {
    const rotated = rotateWebhookSecret(first, 'whsec_2', at(0));
    for (const next of [null, 'whsec_2']) {
      expect(rotateWebhookSecret(rotated, next, at(20))).toEqual(rotated);
    }
  });

  it('is removed by the first rotation after its end', () => {
    const rotated = rotateWebhookSecret(first, 'whsec_2', at(0));
    expect(rotateWebhookSecret(rotated, null, at(24))).toEqual({ ...first, webhookSecret: 'whsec_2' });
  });

  it('is the only former one that is accepted after two rotations', () => {
    const twice = rotateWebhookSecret(rotateWebhookSecret(first, 'whsec_2', at(0)), 'whsec_3', at(1));
    expect(accepted(twice, 2)).toEqual(['whsec_3', 'whsec_2']);
  });

  it('leaves nothing behind where there was none', () => {
    const none = { ...first, webhookSecret: null };
    expect(accepted(none, 0)).toEqual([]);
    expect(rotateWebhookSecret(none, 'whsec_1', at(0))).toEqual(first);
  });

  it('is not accepted when an earlier version rotated it and stored no end', () => {
    const endless = { webhookSecret: 'whsec_2', previousWebhookSecret: 'whsec_1', until: null };
    expect(accepted(endless, 0)).toEqual(['whsec_2']);
  });
});
