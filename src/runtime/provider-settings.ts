import { z } from 'zod';
import { port, url } from './setting-types.ts';

/** Where cards, their fields, and the simulators of vault and network are. */
export const providerShape = {
  VAULT_URL: url
    .default('http://127.0.0.1:4010')
    .describe("Address of the sandbox's card vault (a simulator), for this service."),
  VAULT_PUBLIC_URL: url
    .optional()
    .describe("Address of the sandbox's card vault for merchants and browsers. Unset: VAULT_URL."),
  CARD_FRAME_URL: url
    .optional()
    .describe(
      'Base URL of the card frame, without a trailing slash: the card fields of hosted ' +
        'pages for PCI Vault, on an origin of their own. Unset: such pages are refused.',
    ),
  CARD_FRAME_VAULT_URL: url
    .default('https://api.pcivault.io')
    .describe('Where the card frame sends cards, without a trailing slash. Development only.'),
  WALLET_FRAME_URL: url
    .optional()
    .describe(
      'Base URL of the Apple Pay and Google Pay buttons of hosted pages, without a trailing slash: ' +
        'the process of the card frame, under another host name. Unset: no wallets, only cards.',
    ),
  WALLET_FRAME_STRIPE_URL: url
    .default('https://js.stripe.com')
    .describe('Where those buttons load Stripe.js, without a trailing slash. Development only.'),
  CARD_FRAME_HOST: z.string().default('127.0.0.1').describe('Address on which the card frame listens.'),
  CARD_FRAME_PORT: port.default(4050).describe('Port on which the card frame listens.'),
  CARD_FRAME_KEY: z
    .string()
    .min(32)
    .default('development-card-frame-key-of-the-service')
    .describe(
      'Signs which sites may embed the card fields. API and card ' +
        'frame need the same random text of 32 characters or more.',
    ),
  VAULT_SERVICE_KEY: z
    .string()
    .min(16)
    .default('development-vault-service-key')
    .describe("Credential of this service at the sandbox's card vault."),
  NETWORK_URL: url
    .default('http://127.0.0.1:4020')
    .describe("Address of the sandbox's payment network (a simulator)."),
  NETWORK_SERVICE_KEY: z
    .string()
    .min(16)
    .default('development-network-service-key')
    .describe("Credential of this service at the sandbox's network."),
  NETWORK_UNSEEN_KEY_HORIZON_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(86_400)
    .optional()
    .describe(
      'For a network that cannot refuse a charge in advance: how long after it was ' +
        'sent a charge may still arrive there. Unset: the network refuses it on request.',
    ),
  NETWORK_CALLBACK_SECRET: z
    .string()
    .startsWith('whsec_')
    .default(`whsec_${Buffer.alloc(32, 'development-callback-secret').toString('base64')}`)
    .describe("Secret of the signatures of the sandbox network's callbacks."),
  LIVE_VAULT_URL: url
    .optional()
    .describe(
      'A simulated card vault for live payments without a connector; never the ' +
        "sandbox's. Unset: live payments need a connector. Development only.",
    ),
  LIVE_VAULT_PUBLIC_URL: url
    .optional()
    .describe('Address of that vault for merchants and browsers. Unset: LIVE_VAULT_URL. Development only.'),
  LIVE_VAULT_SERVICE_KEY: z
    .string()
    .min(16)
    .default('development-live-vault-service-key')
    .describe('Credential of this service at that vault. Development only.'),
  LIVE_NETWORK_URL: url
    .optional()
    .describe('A simulated network for live payments without a connector. Development only.'),
  LIVE_NETWORK_SERVICE_KEY: z
    .string()
    .min(16)
    .default('development-live-network-service-key')
    .describe('Credential of this service at that network. Development only.'),
  LIVE_NETWORK_CALLBACK_SECRET: z
    .string()
    .startsWith('whsec_')
    .default(`whsec_${Buffer.alloc(32, 'development-live-callback-secret').toString('base64')}`)
    .describe("Secret of the signatures of that network's callbacks. Development only."),
};
