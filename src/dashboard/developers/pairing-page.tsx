import type { Pairing } from '../../db/merchants/key-pairings.ts';
import type { Scope } from '../../domain/scopes.ts';
import { Form } from '../parts/fields.tsx';
import { labelOf } from '../parts/format.ts';
import { Card, Empty, Facts, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.pairings;

const Names = ({ scopes }: { scopes: readonly Scope[] }) => (
  <ul class="bullets">
    {scopes.map((scope) => (
      <li key={scope}>{texts.developers.scopeNames[scope]}</li>
    ))}
  </ul>
);

/** The page of a command line that requests a key; `pairing` is null if there is none or it has ended. */
export function PairingPage({
  frame,
  pairing,
  given,
}: {
  frame: Frame;
  pairing: (Pairing & { createdAt: Date }) | null;
  /** The scopes that the key would get, no more than the member's role allows. */
  given: readonly Scope[];
}) {
  if (pairing === null) {
    return (
      <Card title={text.overTitle}>
        <Empty>{text.overText}</Empty>
      </Card>
    );
  }
  const kept = pairing.scopes.filter((scope) => !given.includes(scope));
  return (
    <Card title={text.question}>
      <p class="pairing-code">
        <code data-testid="pairing-code">{pairing.code}</code>
      </p>
      <Facts
        of={[
          [text.computer, pairing.computer],
          [text.address, pairing.address],
          [text.environment, labelOf(frame.environment)],
          [text.asked, <Time key="asked" at={pairing.createdAt} frame={frame} />],
        ]}
      />
      <Facts
        isOne
        of={[
          [text.gets, given.length === 0 ? null : <Names key="gets" scopes={given} />],
          [
            text.keepsOut,
            kept.length === 0 || !frame.may('keys') ? null : <Names key="keeps" scopes={kept} />,
          ],
        ]}
      />
      {frame.environment === 'live' ? <p>{text.live}</p> : null}
      {frame.may('keys') ? (
        <Decision frame={frame} id={pairing.id} mayApprove={given.length > 0} />
      ) : (
        <p>{text.noRole}</p>
      )}
    </Card>
  );
}

function Decision({ frame, id, mayApprove }: { frame: Frame; id: string; mayApprove: boolean }) {
  const path = `${frame.base}/developers/pairings`;
  return (
    <>
      <p>{mayApprove ? text.text : text.nothing}</p>
      <div class="actions">
        {mayApprove ? (
          <Form frame={frame} to={`${path}/approve`}>
            <input type="hidden" name="pairing" value={id} />
            <button type="submit" class="btn" data-testid="pairing-approve">
              {text.approve}
            </button>
          </Form>
        ) : null}
        <Form frame={frame} to={`${path}/refuse`}>
          <input type="hidden" name="pairing" value={id} />
          <button type="submit" class="btn" data-variant="outline" data-testid="pairing-refuse">
            {text.refuse}
          </button>
        </Form>
      </div>
    </>
  );
}
