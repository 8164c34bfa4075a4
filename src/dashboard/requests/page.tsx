import type { ApiRequest } from '../../domain/api-request.ts';
import { Choice, Field, SearchForm } from '../parts/fields.tsx';
import { inZone } from '../parts/list.tsx';
import { Card, Empty, None, Time } from '../parts/parts.tsx';
import { Pager } from '../parts/pager.tsx';
import { Table } from '../parts/table.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.requests;

/** The filter of the request log, as the address holds it. */
export interface RequestQuery {
  answered: string;
  path: string;
  id: string;
  payment: string;
}

/** The kinds of responses, by the first digit of the status. */
export const answerKinds = Object.keys(text.responses) as readonly (keyof typeof text.responses)[];

/** The API requests, newest first, with their filters. */
export function RequestsPage({
  frame,
  query,
  requests,
  older,
}: {
  frame: Frame;
  query: RequestQuery;
  requests: readonly ApiRequest[];
  older: string | null;
}) {
  const path = `${frame.base}/developers/requests`;
  const searched = Object.values(query).some((value) => value !== '');
  return (
    <>
      <SearchForm action={path} searched={searched}>
        <Field
          label={text.path}
          id="path"
          name="path"
          type="search"
          value={query.path}
          maxLength={255}
          placeholder={text.pathPlaceholder}
        />
        <Choice
          label={text.response}
          id="answered"
          name="answered"
          value={query.answered}
          options={[
            { value: '', label: text.anyResponse },
            ...answerKinds.map((value) => ({ value, label: text.responses[value] })),
          ]}
        />
        <Field
          label={text.requestId}
          id="id"
          name="id"
          type="search"
          value={query.id}
          maxLength={255}
          placeholder={text.requestIdPlaceholder}
        />
        <Field
          label={text.paymentId}
          id="payment"
          name="payment"
          type="search"
          value={query.payment}
          maxLength={255}
        />
      </SearchForm>
      <Card title={searched ? text.results : text.recent}>
        {requests.length === 0 ? (
          <Empty>{older !== null ? text.noMatchYet : searched ? text.noMatch : text.empty}</Empty>
        ) : (
          <RequestTable frame={frame} requests={requests} />
        )}
        <Pager before={null} after={older} />
      </Card>
    </>
  );
}

/** API requests as rows. */
export function RequestTable({
  frame,
  requests,
  ofPayment = false,
}: {
  frame: Frame;
  requests: readonly ApiRequest[];
  /** Whether they are shown on the page of their payment. */
  ofPayment?: boolean;
}) {
  return (
    <Table
      label={text.tableLabel}
      onPhone="calls"
      testId="request-row"
      rows={requests}
      rowKey={({ id }) => id}
      columns={[
        {
          head: text.request,
          cell: ({ id, method, route }) => (
            <>
              <code>
                {method} {route === '' ? text.unknownPath : route}
              </code>
              <br />
              <small class="quiet-text">{id}</small>
            </>
          ),
        },
        { head: text.response, cell: (request) => <Response {...request} /> },
        { head: text.duration, end: true, cell: ({ ms }) => text.milliseconds(ms) },
        ...(ofPayment
          ? []
          : [
              {
                head: text.payment,
                cell: ({ paymentId }: ApiRequest) =>
                  paymentId === null ? (
                    <None />
                  ) : (
                    <a
                      class="nowrap"
                      href={`${frame.base}/payments/${paymentId}`}
                      aria-label={texts.payments.paymentLink(paymentId)}
                    >
                      …{paymentId.slice(-8)}
                    </a>
                  ),
              },
            ]),
        { head: text.key, cell: ({ keyId }) => <code>{keyId}</code> },
        { ...inZone(text.time, frame), cell: ({ at }) => <Time at={at} frame={frame} precise /> },
      ]}
    />
  );
}

function Response({ status, errorCode }: Pick<ApiRequest, 'status' | 'errorCode'>) {
  const tone = status < 400 ? 'good' : status < 500 ? 'warn' : 'bad';
  return (
    <>
      <span class={`badge status ${tone}`} data-variant="secondary">
        {status}
      </span>
      {errorCode === null ? null : (
        <>
          {' '}
          <small class="quiet-text">
            <code>{errorCode}</code>
          </small>
        </>
      )}
    </>
  );
}
