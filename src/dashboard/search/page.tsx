import type { PaymentRecord } from '../../domain/payment.ts';
import { Field, SearchForm } from '../parts/fields.tsx';
import { money } from '../parts/format.ts';
import { Card, Empty, Status, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.search;

/** A page that a search found. */
export interface Place {
  href: string;
  name: string;
  detail: string | null;
}

export interface SearchData {
  q: string;
  pages: readonly Place[];
  customers: readonly Place[];
  keys: readonly Place[];
  endpoints: readonly Place[];
  payments: readonly PaymentRecord[];
  /** Whether the payments are archived; then no list shows them. */
  isArchived: boolean;
}

/** One search field for everything that has a page. With script, arrow keys move through the results. */
export function SearchPage({ frame, data }: { frame: Frame; data: SearchData }) {
  return (
    <>
      <SearchForm action={`${frame.base}/search`} searched={data.q !== ''} clear={text.clear} live>
        <Field
          label={text.field}
          id="q"
          name="q"
          type="search"
          value={data.q}
          maxLength={255}
          placeholder={text.placeholder}
          autocomplete="off"
          data-testid="search-everything"
        />
      </SearchForm>
      <div class="stack" data-results data-find>
        <Results frame={frame} data={data} />
      </div>
    </>
  );
}

function Results({ frame, data }: { frame: Frame; data: SearchData }) {
  const { q, pages, customers, keys, endpoints, payments } = data;
  if (q === '') return <Empty>{text.hint}</Empty>;
  const total = [pages, customers, keys, endpoints, payments].reduce((sum, { length }) => sum + length, 0);
  if (total === 0) return <Empty>{text.nothing}</Empty>;
  return (
    <>
      <Places title={text.pages} places={pages} />
      {payments.length === 0 ? null : (
        <Card
          title={text.payments}
          aside={
            data.isArchived ? (
              <span class="quiet-text">{texts.payments.archived}</span>
            ) : (
              <a href={`${frame.base}/payments?q=${encodeURIComponent(q)}`}>{text.allPayments}</a>
            )
          }
        >
          <ul class="found">
            {payments.map((payment) => (
              <li key={payment.id} data-testid="found-payment">
                <span class="found-name">
                  <a href={`${frame.base}/payments/${payment.id}`}>{payment.reference}</a>
                  <small class="quiet-text">{payment.customerName ?? payment.customerEmail}</small>
                </span>
                <span class="money">{money(payment.amountCents)}</span>
                <Status of={payment.status} />
                <span class="quiet-text">
                  <Time at={payment.createdAt} frame={frame} recent />
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      <Places title={text.customers} places={customers} />
      <Places title={text.keys} places={keys} />
      <Places title={text.endpoints} places={endpoints} />
    </>
  );
}

const Places = ({ title, places }: { title: string; places: readonly Place[] }) =>
  places.length === 0 ? null : (
    <Card title={title}>
      <ul class="found">
        {places.map(({ href, name, detail }) => (
          <li key={href}>
            <a href={href}>{name}</a>
            {detail === null ? null : <span class="quiet-text">{detail}</span>}
          </li>
        ))}
      </ul>
    </Card>
  );
