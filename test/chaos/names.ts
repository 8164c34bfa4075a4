/** Names of the requests on each hop: the named points of the plan are built from them. */

/** The process that is called at a point. */
export type Callee = 'api' | 'vault' | 'network' | 'postgres';

/** Names a request by its method and path. */
export type Classify = (method: string, path: string) => string;

export const serviceNames: Classify = (method, path) => {
  const [plain = ''] = path.split('?');
  const sandbox = /^\/v1\/sandbox\/\w+\/[^/]+\/(\w+)$/.exec(plain)?.[1];
  if (sandbox) return `order-${sandbox}`;
  const [, noun, verb] = /^\/v1\/(payments|refunds|disputes)(?:\/[^/]+(?:\/(\w+))?)?$/.exec(plain) ?? [];
  if (!noun) return 'page';
  if (method === 'POST' && plain === '/v1/payments') return 'create';
  if (verb === 'refunds' && method === 'POST') return 'refund';
  return verb ?? 'read';
};

export const vaultNames: Classify = (method, path) => {
  if (method === 'PUT') return 'register';
  if (path.endsWith('/claim')) return 'claim';
  if (path.endsWith('/revoke')) return 'revoke';
  return 'capture';
};

/** Names the calls to the vault of the Stripe pair. The call of its proxy proves a card. */
export const pciVaultNames: Classify = (method, path) => {
  if (path.startsWith('/v1/proxy/')) return 'claim';
  if (method === 'DELETE') return 'revoke';
  return /^\/v1\/capture(\?|$)/.test(path) ? 'register' : 'capture';
};

/** Names Stripe's calls by their purpose in the service. */
export const stripeNames: Classify = (method, path) => {
  const [plain = ''] = path.split('?');
  if (plain === '/v1/payment_methods' || plain === '/v1/payment_intents') return 'prepare';
  if (plain.startsWith('/v1/payment_intents/')) {
    if (method === 'GET') return 'lookup';
    return plain.endsWith('/cancel') ? 'void' : 'charge';
  }
  if (plain.startsWith('/v1/refunds')) return method === 'GET' ? 'refundLookup' : 'refund';
  if (method === 'GET') return 'disputeLookup';
  return plain.endsWith('/close') ? 'accept' : 'evidence';
};

export const networkNames: Classify = (method, path) => {
  if (path.startsWith('/v1/simulate/')) return 'order';
  const of = /^\/v1\/(refund|dispute)s/.exec(path)?.[1];
  if (of === 'dispute') {
    if (method === 'GET') return 'disputeLookup';
    return path.endsWith('/accept') ? 'accept' : 'evidence';
  }
  if (of === 'refund') {
    if (method === 'GET') return 'refundLookup';
    return path.endsWith('/void') ? 'refundVoid' : 'refund';
  }
  if (method === 'GET') return 'lookup';
  if (path.endsWith('/void')) return 'void';
  return path.endsWith('/confirm') ? 'confirm' : 'charge';
};

export const callbackNames: Classify = () => 'callback';

const asked: readonly (readonly [Callee, readonly string[]])[] = [
  ['api', ['create', 'capture', 'pay', 'status', 'refund', 'cancel', 'submit', 'order-disputes']],
  ['vault', ['register', 'claim', 'revoke', 'capture']],
  ['network', ['charge', 'lookup', 'confirm', 'void', 'refund', 'refundLookup', 'evidence', 'disputeLookup']],
];

/** The customer is about to complete the challenge, at the network's own page. */
export const challengePoint = 'customer.challenge';

/** The points where a process may be killed or frozen, and the process that is called there. */
export const namedPoints: readonly { point: string; callee: Callee }[] = [
  ...asked.flatMap(([callee, names]) => names.map((name) => ({ point: `${callee}.${name}`, callee }))),
  { point: 'callback.callback', callee: 'api' as const },
  { point: 'postgres.commit', callee: 'postgres' as const },
].flatMap(({ point, callee }) => [
  { point: `${point}.before`, callee },
  { point: `${point}.after`, callee },
]);
