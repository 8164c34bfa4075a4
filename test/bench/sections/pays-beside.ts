import type { Bench } from '../bench.ts';
import { type Call, inParallel } from '../drive.ts';
import type { Figures } from '../figures.ts';
import { outcomeOf } from '../http.ts';

/** Pays a second that run beside other work. */
export const paysPerSecond = 4;
const preparedAtOnce = 16;

/** Returns a call that pays one of `count` new payments, by its index. */
export async function preparePays({ shop }: Pick<Bench, 'shop'>, count: number): Promise<Call> {
  const payables = await inParallel(count, preparedAtOnce, () => shop.newPayable());
  return (index) => {
    const payable = payables[index];
    if (payable === undefined) throw new Error('a call without a payment made for it');
    return outcomeOf(shop.pay(payable), 200);
  };
}

/** Returns figures without costs, because the costs of both kinds of call cannot be separated. */
export const withoutCosts = (figures: Figures): Figures => ({
  ...figures,
  processorMs: null,
  statements: null,
  writes: null,
  walKib: null,
  temporalStatements: null,
});
