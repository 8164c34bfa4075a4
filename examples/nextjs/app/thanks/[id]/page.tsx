import { notFound } from 'next/navigation';
import { isOrderId } from '../../../lib/order-id';
import { findOrder } from '../../../lib/orders';

const texts = {
  pending: 'Thank you. We are waiting for your payment.',
  shipped: 'Thank you. Your tickets are on their way.',
  closed: 'This order was not paid. Nothing was charged.',
};

/** Where the customer returns to. The address proves nothing, so the order's own row is shown. */
export default async function Thanks({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const order = isOrderId(id) ? await findOrder(id) : null;
  if (order === null) notFound();
  return (
    <main>
      <h1>{texts[order.status]}</h1>
      <p>Order {id}</p>
    </main>
  );
}
