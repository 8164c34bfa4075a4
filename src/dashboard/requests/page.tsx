import { type ApiRequest, requestLogDays } from '../../domain/api-request.ts';
import { Choice, Field, SearchForm } from '../parts/fields.tsx';
import { Card, Empty, Pager, Table, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';

/** What the request log is asked for, as it stands in the address. */
export interface RequestQuery {
  answered: string;
  path: string;
  id: string;
  payment: string;
}

/** What a request may have been answered with, by the first digit of its status. */
export const answerKinds = [
  { value: '2', label: 'Done (2xx)' },
  { value: '4', label: 'FormError (4xx)' },
  { value: '5', label: 'Unavailable (5xx)' },
] as const;

/** The calls of the API, newest first, with their filters. */
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
          label="Path"
          id="path"
          name="path"
          type="search"
          value={query.path}
          maxLength={255}
          placeholder="/v1/payments"
        />
        <Choice
          label="Answered"
          id="answered"
          name="answered"
          value={query.answered}
          options={[{ value: '', label: 'Anything' }, ...answerKinds]}
        />
        <Field
          label="Request id"
          id="id"
          name="id"
          type="search"
          value={query.id}
          maxLength={255}
          placeholder="Of the header Request-Id"
        />
        <Field
          label="Payment id"
          id="payment"
          name="payment"
          type="search"
          value={query.payment}
          maxLength={255}
        />
      </SearchForm>
      <Card title={searched ? 'Found' : 'Newest'}>
        {requests.length === 0 ? (
          <Empty>
            {older !== null
              ? 'None among the newest. Older ones may match.'
              : searched
                ? `No request of the last ${requestLogDays} days matches.`
                : `No key called the API in the last ${requestLogDays} days. Calls appear here a second later.`}
          </Empty>
        ) : (
          <RequestTable frame={frame} requests={requests} />
        )}
        <Pager before={null} after={older} />
      </Card>
    </>
  );
}

/** Calls of the API as rows. */
export function RequestTable({
  frame,
  requests,
  ofPayment = false,
}: {
  frame: Frame;
  requests: readonly ApiRequest[];
  /** Whether they stand on the page of their payment. */
  ofPayment?: boolean;
}) {
  return (
    <Table
      label="API requests"
      testId="request-row"
      rows={requests}
      rowKey={({ id }) => id}
      columns={[
        {
          head: 'Call',
          cell: ({ id, method, route }) => (
            <>
              <code>
                {method} {route === '' ? 'an unknown path' : route}
              </code>
              <br />
              <small class="quiet-text">{id}</small>
            </>
          ),
        },
        { head: 'Answer', cell: (request) => <Answer {...request} /> },
        { head: 'Took', end: true, cell: ({ ms }) => `${ms} ms` },
        ...(ofPayment
          ? []
          : [
              {
                head: 'Payment',
                cell: ({ paymentId }: ApiRequest) =>
                  paymentId === null ? (
                    <span class="none">–</span>
                  ) : (
                    <a
                      class="nowrap"
                      href={`${frame.base}/payments/${paymentId}`}
                      aria-label={`Payment ${paymentId}`}
                    >
                      …{paymentId.slice(-8)}
                    </a>
                  ),
              },
            ]),
        { head: 'Key', cell: ({ keyId }) => <code>{keyId}</code> },
        { head: 'When', cell: ({ at }) => <Time at={at} frame={frame} precise /> },
      ]}
    />
  );
}

function Answer({ status, errorCode }: Pick<ApiRequest, 'status' | 'errorCode'>) {
  const tone = status < 400 ? 'good' : status < 500 ? 'warn' : 'bad';
  return (
    <>
      <span class={`status ${tone}`}>{status}</span>
      {errorCode === null ? null : (
        <>
          {' '}
          <small class="quiet-text">{errorCode}</small>
        </>
      )}
    </>
  );
}
