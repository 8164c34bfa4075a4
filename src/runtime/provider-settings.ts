import { z } from 'zod';
import { port, url } from './setting-types.ts';

/** Where cards, their fields, and the simulators of vault and network are. */
export const providerShape = {
  VAULT_URL: url
    .default('http://127.0.0.1:4010')
    .describe("The sandbox's card vault (simulator), service side."),
  VAULT_PUBLIC_URL: url
    .optional()
    .describe("The sandbox's card vault as merchants and browsers reach it; unset: VAULT_URL."),
  CARD_FRAME_URL: url
    .optional()
    .describe(
      'Base URL of the card frame, no trailing slash: the card fields of hosted pages whose cards PCI Vault keeps, ' +
        'on an origin of their own. Unset: such pages are refused.',
    ),
  CARD_FRAME_VAULT_URL: url
    .default('https://api.pcivault.io')
    .describe('Where the card frame sends cards, no trailing slash. Elsewhere in development only.'),
  WALLET_FRAME_URL: url
    .optional()
    .describe(
      'Base URL of the Apple Pay and Google Pay buttons of hosted pages, no trailing slash: the process of the ' +
        'card frame under another host name, which runs no other page. Unset: Stripe takes cards only.',
    ),
  WALLET_FRAME_STRIPE_URL: url
    .default('https://js.stripe.com')
    .describe('Where those buttons load Stripe.js, no trailing slash. Elsewhere in development only.'),
  CARD_FRAME_HOST: z.string().default('127.0.0.1').describe('Address the card frame listens on.'),
  CARD_FRAME_PORT: port.default(4050).describe('Port the card frame listens on.'),
  CARD_FRAME_KEY: z
    .string()
    .min(32)
    .default('development-card-frame-key-of-the-service')
    .describe(
      'Signs which sites may frame the card fields: the same random text at API and card frame. ADR 0067.',
    ),
  VAULT_SERVICE_KEY: z
    .string()
    .min(16)
    .default('development-vault-service-key')
    .describe('Credential at the vault.'),
  NETWORK_URL: url.default('http://127.0.0.1:4020').describe("The sandbox's payment network (simulator)."),
  NETWORK_SERVICE_KEY: z
    .string()
    .min(16)
    .default('development-network-service-key')
    .describe('Credential at the network.'),
  NETWORK_UNSEEN_KEY_HORIZON_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(86_400)
    .optional()
    .describe(
      'How long after it was sent a charge may still arrive at a network that cannot close a key it never saw. ' +
        'Unset: this network closes such keys when asked to.',
    ),
  NETWORK_CALLBACK_SECRET: z
    .string()
    .startsWith('whsec_')
    .default(`whsec_${Buffer.alloc(32, 'development-callback-secret').toString('base64')}`)
    .describe('Signature secret of the network callbacks.'),
  LIVE_VAULT_URL: url
    .optional()
    .describe(
      'A simulated vault of live payments without a connector, never the sandbox’s; unset: they need a connector. Development only.',
    ),
  LIVE_VAULT_PUBLIC_URL: url
    .optional()
    .describe('That vault as merchants and browsers reach it; unset: LIVE_VAULT_URL. Development only.'),
  LIVE_VAULT_SERVICE_KEY: z
    .string()
    .min(16)
    .default('development-live-vault-service-key')
    .describe('Credential at that vault. Development only.'),
  LIVE_NETWORK_URL: url
    .optional()
    .describe('A simulated network of live payments without a connector. Development only.'),
  LIVE_NETWORK_SERVICE_KEY: z
    .string()
    .min(16)
    .default('development-live-network-service-key')
    .describe('Credential at that network. Development only.'),
  LIVE_NETWORK_CALLBACK_SECRET: z
    .string()
    .startsWith('whsec_')
    .default(`whsec_${Buffer.alloc(32, 'development-live-callback-secret').toString('base64')}`)
    .describe('Signature secret of that network’s callbacks. Development only.'),
};
