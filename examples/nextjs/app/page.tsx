import { pay } from './actions';

// The order's id is made for each visit and stands in the form, so that sending it twice places one order.
export const dynamic = 'force-dynamic';

export default function Cart() {
  return (
    <main>
      <h1>Two tickets, $25.00</h1>
      <form action={pay}>
        <input type="hidden" name="order" value={crypto.randomUUID()} />
        <button>Pay</button>
      </form>
    </main>
  );
}
