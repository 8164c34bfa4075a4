import {
  acceptedWebhookSecrets,
  previousWebhookSecret,
  rotateWebhookSecret,
} from '../../../src/connectors/credentials.ts';

const at = (hours: number): Date => new Date(Date.UTC(2030, 0, 1, hours));
const first = { webhookSecret: 'whsec_1', previousWebhookSecret: null };

describe('the webhook secret of a Stripe connector', () => {
  it('is accepted for 24 hours after its rotation', () => {
    const rotated = rotateWebhookSecret(first, 'whsec_2', at(0));
    expect(acceptedWebhookSecrets(rotated, at(23))).toEqual(['whsec_2', 'whsec_1']);
    expect(acceptedWebhookSecrets(rotated, at(24))).toEqual(['whsec_2']);
    expect(previousWebhookSecret(rotated, at(0))).toEqual({
      secret: 'whsec_1',
      until: at(24).toISOString(),
    });
    expect(previousWebhookSecret(rotated, at(24))).toBeNull();
  });

  it('has the same end when other credentials, or the same secret again, are rotated meanwhile', () => {
    const rotated = rotateWebhookSecret(first, 'whsec_2', at(0));
    for (const next of [null, 'whsec_2']) {
      expect(rotateWebhookSecret(rotated, next, at(20))).toEqual(rotated);
    }
  });

  it('is removed by the first rotation after its end', () => {
    const rotated = rotateWebhookSecret(first, 'whsec_2', at(0));
    expect(rotateWebhookSecret(rotated, null, at(24))).toEqual({
      webhookSecret: 'whsec_2',
      previousWebhookSecret: null,
    });
  });

  it('is the only former one that is accepted after two rotations', () => {
    const twice = rotateWebhookSecret(rotateWebhookSecret(first, 'whsec_2', at(0)), 'whsec_3', at(1));
    expect(acceptedWebhookSecrets(twice, at(2))).toEqual(['whsec_3', 'whsec_2']);
  });

  it('leaves nothing behind where there was none', () => {
    const none = { webhookSecret: null, previousWebhookSecret: null };
    expect(acceptedWebhookSecrets(none, at(0))).toEqual([]);
    expect(rotateWebhookSecret(none, 'whsec_1', at(0))).toEqual(first);
  });

  it('is not accepted when an earlier version rotated it and stored no end', () => {
    const endless = { webhookSecret: 'whsec_2', previousWebhookSecret: 'whsec_1' };
    expect(acceptedWebhookSecrets(endless, at(0))).toEqual(['whsec_2']);
  });
});
