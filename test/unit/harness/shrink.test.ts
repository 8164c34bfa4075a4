import { type Play, shrink } from '../../deterministic/shrink.ts';

const whole: Play = { payments: 24, without: [] };
const kinds = ['request lost', 'answer lost', 'worker killed'];

it('takes away payments and faults without which a seed still fails', async () => {
  const fails = async ({ payments, without }: Play): Promise<boolean> =>
    payments >= 5 && !without.includes('answer lost');
  expect(await shrink(whole, kinds, fails)).toEqual({
    payments: 5,
    without: ['request lost', 'worker killed'],
  });
});

it('takes away all faults at once where none is needed', async () => {
  let tries = 0;
  const fails = async (): Promise<boolean> => {
    tries += 1;
    return true;
  };
  expect(await shrink(whole, kinds, fails)).toEqual({ payments: 1, without: kinds });
  expect(tries).toBe(5);
});

it('keeps its result when no tries are left', async () => {
  const tried: Play[] = [];
  const fails = async (play: Play): Promise<boolean> => {
    tried.push(play);
    return false;
  };
  expect(await shrink(whole, kinds, fails, 3)).toEqual(whole);
  expect(tried).toHaveLength(3);
});
