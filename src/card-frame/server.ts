import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { areSignedAncestors } from '../crypto/frame-ancestors.ts';
import { type ServerBounds, createBoundedServer, hasOneHostHeader } from '../http/server.ts';
import { type FrameFile, cacheControlOf, frameFiles, markFiles, walletFiles } from './files.ts';
import { renderFramePage } from './frame-page.tsx';
import { frameSecurityPolicy, readAncestors, walletSecurityPolicy } from './policy.ts';
import { frameLocale } from './texts.ts';
import { readWalletQuery, renderWalletPage } from './wallet-page.tsx';

/** Short limits, because every page, script and style is small and in memory. docs/security.md, "Floods". */
const bounds: ServerBounds = {
  maxConnections: 4_000,
  maxUnanswered: 16,
  idleTimeoutMs: 15_000,
  writeTimeoutMs: 15_000,
  keepAliveTimeoutMs: 65_000,
};

/** The brands that Stripe accepts by default. */
const acceptedBrands = ['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'unionpay'];

export interface CardFrameOptions {
  /** Origin of the checkout page: only it may frame the form and receive its messages. */
  parentOrigin: string;
  /** Base URL of PCI Vault, whose capture addresses receive the cards. */
  vaultUrl: string;
  /**
   * Address from which the wallets' buttons load Stripe.js, without a trailing slash; null if there are no
   * buttons.
   */
  stripeUrl: string | null;
  /** Verifies which sites the API allows to frame the checkout page. */
  key: string;
  production: boolean;
}

/**
 * Returns the server of the card form (not listening): `GET /frame/{vaultId}`, `GET /wallet` (the wallets'
 * buttons, under another host name), their files and `/healthz`. It has no payment data and no secret except
 * its own key, makes no outgoing call and receives no card. ADR 0023 and 0068.
 */
export function createCardFrameServer(options: CardFrameOptions): Server {
  return createBoundedServer(
    bounds,
    { requestTimeout: 5_000, headersTimeout: 5_000, maxHeaderSize: 16 * 1024 },
    (request, response) => {
      response.setHeader('X-Content-Type-Options', 'nosniff').setHeader('Referrer-Policy', 'no-referrer');
      if (options.production) {
        response.setHeader('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
      }
      if (!hasOneHostHeader(request)) {
        response.writeHead(400).end();
        return;
      }
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.writeHead(405, { Allow: 'GET, HEAD' }).end();
        return;
      }
      answer(options, request, response);
    },
  );
}

const servedFiles = [frameFiles, walletFiles, markFiles].flatMap((files) => Object.values(files));

function answer(options: CardFrameOptions, request: IncomingMessage, response: ServerResponse): void {
  const { url: target = '' } = request;
  if (target === '/healthz') {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"ok":true}');
    return;
  }
  const [path = '', query = ''] = target.split('?', 2);
  const file = servedFiles.find((one) => one.path === path);
  if (file) sendFile(request, response, file);
  else if (path === '/wallet') sendWallet(options, response, new URLSearchParams(query));
  else sendForm(options, response, path, new URLSearchParams(query));
}

function sendFile(request: IncomingMessage, response: ServerResponse, file: FrameFile): void {
  const small = /\bbr\b/.test(String(request.headers['accept-encoding']));
  const bytes = small ? file.brotli : file.bytes;
  response
    .writeHead(200, {
      'Content-Type': file.contentType,
      'Content-Length': bytes.length,
      'Cache-Control': cacheControlOf(file, request.url ?? ''),
      'Cross-Origin-Resource-Policy': 'same-origin',
      Vary: 'Accept-Encoding',
      ...(small ? { 'Content-Encoding': 'br' } : {}),
    })
    .end(bytes);
}

function sendPage(
  response: ServerResponse,
  status: number,
  page: string,
  policy: { security: string; payment: string },
): void {
  response
    .writeHead(status, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy.security,
      'Permissions-Policy': `camera=(), geolocation=(), microphone=(), payment=(${policy.payment})`,
      'Cache-Control': 'no-store',
      'X-Robots-Tag': 'noindex',
    })
    .end(page);
}

/**
 * Everything in the address except the list of sites is public or only shown. A changed amount changes what
 * is shown, not the charge.
 */
function sendWallet(
  { parentOrigin, stripeUrl, key }: CardFrameOptions,
  response: ServerResponse,
  query: URLSearchParams,
): void {
  const buttons = readWalletQuery(query);
  const ancestors = buttons && ancestorsOf(key, buttons.publishableKey, query);
  if (stripeUrl === null || buttons === null || ancestors === null || query.get('parent') !== parentOrigin) {
    sendPage(response, 404, unavailablePage, { security: frameSecurityPolicy("'none'", []), payment: '' });
    return;
  }
  sendPage(response, 200, renderWalletPage({ ...buttons, parent: parentOrigin, stripeUrl }, walletFiles), {
    security: walletSecurityPolicy(stripeUrl, [parentOrigin, ...ancestors]),
    payment: `self "${new URL(stripeUrl).origin}"`,
  });
}

/**
 * Returns the sites that may frame the page around a frame; null unless the API signed the list for this
 * frame.
 */
function ancestorsOf(key: string, frame: string, query: URLSearchParams): string[] | null {
  const list = query.get('ancestors') ?? '';
  const given = { ancestors: list, signature: query.get('signature') ?? '' };
  return list === '' || areSignedAncestors(key, frame, given) ? readAncestors(list) : null;
}

function sendForm(
  { parentOrigin, vaultUrl, key }: CardFrameOptions,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
): void {
  const [, vaultId] = /^\/frame\/([A-Za-z0-9_-]{1,64})$/.exec(path) ?? [];
  const ancestors = vaultId === undefined ? null : ancestorsOf(key, vaultId, query);
  const send = (status: number, frameAncestors: string[], page: string): void => {
    const security = frameSecurityPolicy(new URL(vaultUrl).origin, frameAncestors);
    sendPage(response, status, page, { security, payment: '' });
  };
  if (vaultId === undefined || ancestors === null || query.get('parent') !== parentOrigin) {
    send(404, [], unavailablePage);
    return;
  }
  const page = renderFramePage(
    {
      parent: parentOrigin,
      locale: frameLocale(query.get('locale')),
      capture: {
        // The id is also the reference, so that the vault stores the card under it.
        url: `${vaultUrl}/v1/capture/${vaultId}?reference=${vaultId}`,
        keyHeader: 'x-pcivault-capture-secret',
      },
      acceptedBrands,
      testCardsUrl: null,
    },
    frameFiles,
  );
  send(200, [parentOrigin, ...ancestors], page);
}

/** Sent in place of a form, without the reason. */
const unavailablePage =
  '<!doctype html><html lang="en"><head><meta charset="utf-8" /><title>Not available</title></head>' +
  '<body><p>This page is not available.</p></body></html>';
