import { createEndpointSlots, slotsPerEndpoint } from '../../../src/webhooks/endpoint-slots.ts';

/** Returns work that the test ends. */
function gate(): { open: () => void; passed: Promise<void> } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

describe('the slots of endpoints', () => {
  it('run at most four deliveries to one endpoint at a time, without blocking another endpoint', async () => {
    const slots = createEndpointSlots();
    const held = gate();
    let running = 0;
    const busy = Array.from({ length: slotsPerEndpoint }, () =>
      slots.run('a', async () => {
        running += 1;
        await held.passed;
      }),
    );
    const waiting = slots.run('a', async () => 'after');
    expect(await slots.run('b', async () => 'other')).toEqual({ value: 'other' });
    expect(running).toBe(slotsPerEndpoint);
    held.open();
    expect(await waiting).toEqual({ value: 'after' });
    await Promise.all(busy);
  });

  it('refuse a flood at once instead of letting it wait without bound', async () => {
    const slots = createEndpointSlots();
    const held = gate();
    const answers: (string | null)[] = [];
    const all = Array.from({ length: 100 }, async () => {
      const taken = await slots.run('a', () => held.passed);
      if (!taken) answers.push(null);
    });
    await Promise.resolve().then(() => undefined);
    expect(answers.length).toBeGreaterThanOrEqual(80);
    held.open();
    await Promise.all(all);
  });

  it('are released by work that throws', async () => {
    const slots = createEndpointSlots();
    for (let time = 0; time < slotsPerEndpoint * 2; time += 1) {
      await expect(slots.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    }
    expect(await slots.run('a', async () => 1)).toEqual({ value: 1 });
  });
});
