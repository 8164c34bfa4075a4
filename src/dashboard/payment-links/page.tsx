import { type PaymentLink, isLinkClosed, maxLinkPayments } from '../../domain/payment-link.ts';
import type { PaymentMethod } from '../../domain/statuses.ts';
import { Checkbox, Field, Form } from '../parts/fields.tsx';
import { count, labelOf, money } from '../parts/format.ts';
import { inZone, ListFoot } from '../parts/list.tsx';
import { Card, Empty, None, Status, Time } from '../parts/parts.tsx';
import { Copied } from '../parts/copied.tsx';
import { Table } from '../parts/table.tsx';
import type { Frame, ListPages } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { itemRows } from './form.ts';

const text = texts.paymentLinks;

/** A link with its address. */
export type LinkLine = PaymentLink & { url: string };

/** The list of payment links, and the form for a new one. `typed`: the values of a refused form. */
export function PaymentLinksPage({
  frame,
  links,
  methods,
  pages,
  total,
  typed,
  formKey,
}: {
  frame: Frame;
  links: readonly LinkLine[];
  /** The methods that the merchant accepts and customers can pay with. */
  methods: readonly PaymentMethod[];
  pages: ListPages;
  /** The number of links on all pages. */
  total: number;
  typed: URLSearchParams | null;
  /** A key by which a form that is sent twice creates one link. */
  formKey: string;
}) {
  const form = (
    <div class="stack">
      <p class="quiet-text">{text.createHelp}</p>
      <LinkForm frame={frame} methods={methods} typed={typed} formKey={formKey} />
    </div>
  );
  return (
    <>
      {frame.may('links') && total === 0 ? <Card title={text.createTitle}>{form}</Card> : null}
      <Card title={text.title}>
        {frame.may('links') && total > 0 ? (
          <details open={typed !== null}>
            <summary class="btn" data-testid="link-new">
              {text.create}
            </summary>
            {form}
          </details>
        ) : null}
        {links.length === 0 ? <Empty>{text.empty}</Empty> : <LinkTable frame={frame} links={links} />}
        <ListFoot {...pages} />
      </Card>
    </>
  );
}

function LinkForm({
  frame,
  methods,
  typed,
  formKey,
}: {
  frame: Frame;
  methods: readonly PaymentMethod[];
  typed: URLSearchParams | null;
  formKey: string;
}) {
  const value = (name: string): string => typed?.get(name) ?? '';
  const field = (name: string) => ({ id: `link-${name}`, name, value: value(name) });
  return (
    <Form frame={frame} to={`${frame.base}/payment-links`} class="fields">
      <input type="hidden" name="key" value={typed?.get('key') ?? formKey} />
      <div class="link-fields">
        <Field
          {...field('amount')}
          label={text.amount}
          inputMode="decimal"
          placeholder="42.00"
          required
          data-testid="link-amount"
        />
        <Field
          {...field('reference')}
          label={text.reference}
          help={text.referenceHelp}
          maxLength={255}
          required
          data-testid="link-reference"
        />
        <Field
          {...field('description')}
          label={text.description}
          help={text.descriptionHelp}
          maxLength={500}
          data-testid="link-description"
        />
        <Field {...field('successUrl')} label={text.successUrl} type="url" required />
        <Field {...field('cancelUrl')} label={text.cancelUrl} type="url" required />
        <Field
          {...field('maxPayments')}
          label={text.maxPayments}
          help={text.maxPaymentsHelp}
          type="number"
          min={1}
          max={maxLinkPayments}
        />
        <Field
          {...field('lastDay')}
          label={text.lastDay}
          help={text.lastDayHelp(frame.timeZone)}
          type="date"
        />
      </div>
      <fieldset>
        <legend>{text.methods}</legend>
        {methods.map((method) => (
          <Checkbox
            key={method}
            name="methods"
            value={method}
            checked={typed?.getAll('methods').includes(method)}
          >
            {labelOf(method)}
          </Checkbox>
        ))}
        <small class="help">{text.methodsHelp}</small>
      </fieldset>
      <details
        open={itemRows.some((place) => value(`itemName${place}`) + value(`itemAmount${place}`) !== '')}
      >
        <summary>{text.items}</summary>
        <small class="help">{text.itemsHelp}</small>
        {itemRows.map((place) => (
          <div key={place} class="link-item">
            <Field {...field(`itemName${place}`)} label={text.itemName(place)} maxLength={120} />
            <Field
              {...field(`itemQuantity${place}`)}
              label={text.itemQuantity(place)}
              type="number"
              min={1}
              max={9_999}
            />
            <Field {...field(`itemAmount${place}`)} label={text.itemAmount(place)} inputMode="decimal" />
          </div>
        ))}
      </details>
      <div class="actions">
        <button type="submit" class="btn" data-testid="link-create">
          {text.create}
        </button>
      </div>
    </Form>
  );
}

function LinkTable({ frame, links }: { frame: Frame; links: readonly LinkLine[] }) {
  return (
    <Table
      label={text.title}
      rows={links}
      rowKey={({ id }) => id}
      testId="link-row"
      columns={[
        {
          head: text.reference,
          cell: ({ reference }) => (
            <a href={`${frame.base}/payments?${new URLSearchParams({ q: reference }).toString()}`}>
              {reference}
            </a>
          ),
        },
        { head: text.linkAmount, end: true, cell: ({ amountCents }) => money(amountCents) },
        { head: texts.common.status, cell: (link) => <LinkStatus link={link} frame={frame} /> },
        {
          head: text.payments,
          end: true,
          cell: ({ paymentCount, maxPayments }) =>
            maxPayments === null
              ? count(paymentCount)
              : text.paymentsOf(count(paymentCount), count(maxPayments)),
        },
        { ...inZone(text.ends, frame), cell: ({ expiresAt }) => <Time at={expiresAt} frame={frame} /> },
        {
          head: text.link,
          cell: ({ url }) => (
            <Copied value={url}>
              <a href={url} title={url}>
                {shortUrl(url)}
              </a>
            </Copied>
          ),
        },
        {
          head: '',
          end: true,
          cell: (link) => (frame.may('links') ? <ChangeLink link={link} frame={frame} /> : <None />),
        },
      ]}
    />
  );
}

/** Returns a link's address without its scheme and the end of its secret part. */
const shortUrl = (url: string): string => url.replace(/^https?:\/\//, '').replace(/(?<=\/l\/.{4}).+$/, '…');

function LinkStatus({ link, frame }: { link: LinkLine; frame: Frame }) {
  if (!link.active) return <Status of={text.status.closed} />;
  return <Status of={isLinkClosed(link, new Date(frame.nowMs)) ? text.status.ended : text.status.active} />;
}

function ChangeLink({ link: { id, active, reference }, frame }: { link: LinkLine; frame: Frame }) {
  return (
    <Form frame={frame} to={`${frame.base}/payment-links/${id}`}>
      <input type="hidden" name="active" value={String(!active)} />
      <button
        type="submit"
        class="btn"
        data-variant="outline"
        aria-label={active ? text.closeLabel(reference) : text.openLabel(reference)}
      >
        {active ? text.close : text.open}
      </button>
    </Form>
  );
}
