/** Names of the requests on each hop: the named points of the plan are built from them. */

export function serviceNames(method, path) {
  const [plain] = path.split('?');
  const sandbox = /^\/v1\/sandbox\/\w+\/[^/]+\/(\w+)$/.exec(plain)?.[1];
  if (sandbox) return `order-${sandbox}`;
  const [, noun, verb] = /^\/v1\/(payments|refunds|disputes)(?:\/[^/]+(?:\/(\w+))?)?$/.exec(plain) ?? [];
  if (!noun) return 'page';
  if (method === 'POST' && plain === '/v1/payments') return 'create';
  if (verb === 'refunds' && method === 'POST') return 'refund';
  return verb ?? 'read';
}

export function vaultNames(method, path) {
  if (method === 'PUT') return 'register';
  if (path.endsWith('/claim')) return 'claim';
  if (path.endsWith('/revoke')) return 'revoke';
  return 'capture';
}

export function networkNames(method, path) {
  if (path.startsWith('/v1/simulate/')) return 'order';
  const of = /^\/v1\/(refund|dispute)s/.exec(path)?.[1];
  if (of === 'dispute')
    return method === 'GET' ? 'disputeLookup' : path.endsWith('/accept') ? 'accept' : 'evidence';
  if (of === 'refund') {
    if (method === 'GET') return 'refundLookup';
    return path.endsWith('/void') ? 'refundVoid' : 'refund';
  }
  if (method === 'GET') return 'lookup';
  if (path.endsWith('/void')) return 'void';
  return path.endsWith('/confirm') ? 'confirm' : 'charge';
}

export const callbackNames = () => 'callback';

/** Where somebody may be killed or frozen; each also says who waits there and who is asked. */
export const namedPoints = [
  ...['create', 'capture', 'pay', 'status', 'refund', 'cancel', 'submit', 'order-disputes'].map((name) => ({
    point: `api.${name}`,
    callee: 'api',
  })),
  ...['register', 'claim', 'revoke', 'capture'].map((name) => ({ point: `vault.${name}`, callee: 'vault' })),
  ...['charge', 'lookup', 'confirm', 'void', 'refund', 'refundLookup', 'evidence', 'disputeLookup'].map(
    (name) => ({
      point: `network.${name}`,
      callee: 'network',
    }),
  ),
  { point: 'callback.callback', callee: 'api' },
  { point: 'postgres.commit', callee: 'postgres' },
].flatMap(({ point, callee }) => [
  { point: `${point}.before`, callee },
  { point: `${point}.after`, callee },
]);
