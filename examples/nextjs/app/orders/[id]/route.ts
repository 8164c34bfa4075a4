import { isOrderId } from '../../../lib/order-id';
import { findOrder } from '../../../lib/orders';
import { placeOrder } from '../../../lib/payments';

type Context = { params: Promise<{ id: string }> };

const notFound = (): Response => Response.json({ error: 'no such order' }, { status: 404 });

/** Places an order and sends the client to the checkout page, for carts that are not pages of this shop. */
export async function POST(_: Request, { params }: Context): Promise<Response> {
  const { id } = await params;
  if (!isOrderId(id)) return notFound();
  return Response.redirect(await placeOrder(id), 303);
}

/** Returns the order as its own row has it. */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  const { id } = await params;
  const order = isOrderId(id) ? await findOrder(id) : null;
  return order === null ? notFound() : Response.json({ order: id, status: order.status });
}
