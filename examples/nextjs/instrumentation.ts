/** Runs once when the server starts: recovers at once, and then on a schedule. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { prepareDatabase } = await import('./lib/orders');
  const { reconcile } = await import('./lib/payments');
  await prepareDatabase();
  const look = (): void => void reconcile().catch((error: unknown) => console.error(error));
  look();
  setInterval(look, Number(process.env.RECONCILE_SECONDS ?? 60) * 1_000).unref();
}
