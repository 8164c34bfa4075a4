import type { Command } from 'commander';
import { eraseCustomer } from '../../operations/payments/erase-customer.ts';
import { problems } from '../problems.ts';
import { byOperator, operate, OperatorError, uuidFlag, withCommonFlags } from './operator.ts';

/**
 * `customer erase`: removes a customer's data from the payments of a merchant. docs/security.md, "Erasure".
 */
export function customerCommands(program: Command): void {
  const customer = program.command('customer').description('Customers of a merchant');
  withCommonFlags(
    customer
      .command('erase')
      .requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant'))
      .requiredOption('--email <address>', 'the address that the payments were made with', emailFlag),
  ).action(async (flags: { merchant: string; email: string; dataDir: string }) =>
    operate(flags, async (operator) => {
      const result = await eraseCustomer(operator, flags.merchant, flags.email, byOperator(operator.now));
      if ('erased' in result) return { merchantId: flags.merchant, payments: result.erased };
      if (result.refused === 'open') throw new OperatorError(problems.customerOpen(result.open));
      if (result.refused === 'unknown') throw new OperatorError(problems.customerUnknown);
      throw new OperatorError(problems.customerErased(result.at.toISOString()));
    }),
  );
}

function emailFlag(text: string): string {
  const email = text.trim();
  if (email.length > 320 || !/^[^\s@]+@[^\s@]+$/.test(email)) throw new OperatorError(problems.customerEmail);
  return email;
}
