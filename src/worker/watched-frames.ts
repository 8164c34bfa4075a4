import { frameFiles, walletFiles } from '../card-frame/files.ts';
import { frameSecurityPolicy, walletSecurityPolicy } from '../card-frame/policy.ts';
import { stripeRelease } from '../card-frame/wallet-page.tsx';
import type { WatchedPage } from '../sweeps/page-watch.ts';
import { rulesOf } from '../sweeps/page-scripts.ts';

/** A frame belongs to no payment: any reference and any key of this form shows it. */
const reference = 'page-watch';
const publishableKey = 'pk_test_pagewatch';

/** The settings of payment pages and their frames. */
interface FrameSettings {
  PUBLIC_URL: string;
  CARD_FRAME_URL?: string | undefined;
  CARD_FRAME_VAULT_URL: string;
  WALLET_FRAME_URL?: string | undefined;
  WALLET_FRAME_STRIPE_URL: string;
}

/** Returns the payment pages' frames that are set up, each with an address that any browser may open. */
export function watchedFrames(settings: FrameSettings): (WatchedPage & { url: string })[] {
  const { origin } = new URL(settings.PUBLIC_URL);
  const parent = encodeURIComponent(origin);
  const frames: (WatchedPage & { url: string })[] = [];
  if (settings.CARD_FRAME_URL !== undefined) {
    frames.push({
      name: '/frame/{reference}',
      setting: 'CARD_FRAME_URL',
      script: frameFiles.script,
      elsewhere: [],
      policy: rulesOf(frameSecurityPolicy(new URL(settings.CARD_FRAME_VAULT_URL).origin, [origin])),
      url: `${settings.CARD_FRAME_URL}/frame/${reference}?parent=${parent}&locale=en`,
    });
  }
  if (settings.WALLET_FRAME_URL !== undefined) {
    const stripe = settings.WALLET_FRAME_STRIPE_URL;
    frames.push({
      name: '/wallet',
      setting: 'WALLET_FRAME_URL',
      script: walletFiles.script,
      elsewhere: [`${stripe}/${stripeRelease}/stripe.js`],
      policy: rulesOf(walletSecurityPolicy(stripe, [origin])),
      url: `${settings.WALLET_FRAME_URL}/wallet?key=${publishableKey}&amount=100&parent=${parent}&locale=en`,
    });
  }
  return frames;
}
