'use server';

import { redirect } from 'next/navigation';
import { isOrderId } from '../lib/order-id';
import { placeOrder } from '../lib/payments';

/** The server action of the cart's form: places the order and sends the browser to the checkout page. */
export async function pay(form: FormData): Promise<void> {
  const id = form.get('order');
  if (!isOrderId(id)) throw new Error('the form has no order');
  redirect(await placeOrder(id));
}
