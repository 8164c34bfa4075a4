/** Names of the requests on each hop: the named points of the plan are built from them. */

export function serviceNames(method, path) {
  if (path.startsWith('/v1/payments')) {
    if (method === 'POST' && path === '/v1/payments') return 'create';
    const verb = /^\/v1\/payments\/[^/]+\/(\w+)$/.exec(path.split('?')[0])?.[1];
    return verb ?? 'read';
  }
  return 'page';
}

export function vaultNames(method, path) {
  if (method === 'PUT') return 'register';
  if (path.endsWith('/claim')) return 'claim';
  if (path.endsWith('/revoke')) return 'revoke';
  return 'capture';
}

export function networkNames(method, path) {
  if (method === 'GET') return 'lookup';
  if (path.endsWith('/void')) return 'void';
  return path.endsWith('/confirm') ? 'confirm' : 'charge';
}

export const callbackNames = () => 'callback';

/** Where somebody may be killed or frozen; each also says who waits there and who is asked. */
export const namedPoints = [
  ...['create', 'capture', 'pay', 'status'].map((name) => ({ point: `api.${name}`, callee: 'api' })),
  ...['register', 'claim', 'revoke', 'capture'].map((name) => ({ point: `vault.${name}`, callee: 'vault' })),
  ...['charge', 'lookup', 'confirm', 'void'].map((name) => ({ point: `network.${name}`, callee: 'network' })),
  { point: 'callback.callback', callee: 'api' },
  { point: 'postgres.commit', callee: 'postgres' },
].flatMap(({ point, callee }) => [
  { point: `${point}.before`, callee },
  { point: `${point}.after`, callee },
]);
